//! Java class files and jars: lossless reading and writing, a logical model of what may be left out.
//!
//! [`Program::open`] reads a jar, a directory of classes or a class and makes a model of it: one item for everything
//! that can be left out, and rules so that what is left still loads, verifies, and can be compiled from source.
//! [`reduce`] runs a strategy over it; [`Program::candidate`] makes what the test is to see.

mod annotation;
mod archive;
mod attributes;
mod bytes;
mod calls;
mod class;
mod code;
mod compact;
mod cuts;
mod demand;
mod error;
mod flow;
mod hierarchy;
mod instruction;
mod items;
mod library;
mod mentions;
mod names;
mod pass;
mod paths;
mod pool;
mod program;
mod rules;
mod splice;
mod strategy;
mod tables;
mod trim;
mod uses;
mod walk;

pub use archive::{Archive, Content, Entry, Limits, Notice, Shape, is_class, is_jar};
pub use class::{Attribute, ClassFile, Member, access};
pub use error::{BadArchive, BadClass};
pub use items::Detail;
pub use library::Libraries;
pub use mentions::mentions;
pub use pass::ProgramPass;
pub use pool::{Constant, MemberRef, Pool};
pub use program::{BadProgram, Program, kept_items};
pub use strategy::{Reduced, Strategy, UnknownStrategy, reduce};
