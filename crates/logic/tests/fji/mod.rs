//! Featherweight Java with interfaces: a whole language small enough to test a validity model exhaustively.
//!
//! Constructors are implied: they take inherited then own fields, in order. A class has exactly one interface, which
//! is `EmptyInterface` where none is written.

pub(crate) mod constraints;
pub(crate) mod parse;
pub(crate) mod reduce;
pub(crate) mod types;

pub(crate) const OBJECT: &str = "Object";
pub(crate) const EMPTY: &str = "EmptyInterface";

/// Types that are always there and cannot be removed.
pub(crate) fn is_builtin(name: &str) -> bool {
    [OBJECT, "String", EMPTY].contains(&name)
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Program {
    pub(crate) types: Vec<Type>,
    pub(crate) main: Expr,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    Class(Class),
    Interface(Interface),
}

impl Type {
    pub(crate) fn name(&self) -> &str {
        match self {
            Type::Class(class) => &class.name,
            Type::Interface(interface) => &interface.name,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Class {
    pub(crate) name: String,
    pub(crate) extends: String,
    pub(crate) implements: String,
    /// Type and name.
    pub(crate) fields: Vec<(String, String)>,
    pub(crate) methods: Vec<Method>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Interface {
    pub(crate) name: String,
    pub(crate) signatures: Vec<Signature>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Method {
    pub(crate) signature: Signature,
    pub(crate) body: Expr,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Signature {
    pub(crate) result: String,
    pub(crate) name: String,
    /// Type and name.
    pub(crate) parameters: Vec<(String, String)>,
}

impl Signature {
    /// What an overriding or implementing method must agree on.
    pub(crate) fn shape(&self) -> (&str, Vec<&str>) {
        (&self.result, self.parameters.iter().map(|(kind, _)| kind.as_str()).collect())
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Expr {
    Variable(String),
    Field(Box<Expr>, String),
    Call(Box<Expr>, String, Vec<Expr>),
    New(String, Vec<Expr>),
    Cast(String, Box<Expr>),
}

impl Program {
    pub(crate) fn class(&self, name: &str) -> Option<&Class> {
        self.types.iter().find_map(|decl| match decl {
            Type::Class(class) if class.name == name => Some(class),
            _ => None,
        })
    }

    pub(crate) fn interface(&self, name: &str) -> Option<&Interface> {
        self.types.iter().find_map(|decl| match decl {
            Type::Interface(interface) if interface.name == name => Some(interface),
            _ => None,
        })
    }

    /// Inherited fields, then own ones, as types and names.
    pub(crate) fn fields(&self, class: &str) -> Vec<(String, String)> {
        match self.class(class) {
            Some(class) => [self.fields(&class.extends), class.fields.clone()].concat(),
            None => Vec::new(),
        }
    }

    /// The signature of a method as seen on a type: its own, else that of the superclass.
    pub(crate) fn method_type(&self, method: &str, on: &str) -> Option<&Signature> {
        if let Some(interface) = self.interface(on) {
            return interface.signatures.iter().find(|signature| signature.name == method);
        }
        let class = self.class(on)?;
        let own = class.methods.iter().map(|method| &method.signature);
        own.into_iter().find(|own| own.name == method).or_else(|| self.method_type(method, &class.extends))
    }
}
