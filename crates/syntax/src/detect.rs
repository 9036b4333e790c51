//! Which language a file is in: by its name, its first line, or what its text looks like.

use crate::language::{Language, languages};
use std::path::Path;

/// How much of a text is looked at.
const HEAD: usize = 4096;

/// The language of a file, from its name and its text. Nothing when nothing fits: then it is plain text.
pub fn detect(path: &Path, text: &[u8]) -> Option<Language> {
    by_name(path).or_else(|| by_shebang(text)).or_else(|| by_content(text))
}

fn by_name(path: &Path) -> Option<Language> {
    let name = path.file_name()?.to_str()?;
    if let Some(found) = languages().iter().find(|language| language.entry().filenames.contains(&name)) {
        return Some(found.clone());
    }
    let extension = path.extension()?.to_str()?;
    let with =
        |extension: &str| languages().iter().find(|language| language.extensions().contains(&extension));
    with(extension).or_else(|| with(&extension.to_lowercase())).cloned()
}

/// `#!/usr/bin/env -S python3 -u` and the like.
fn by_shebang(text: &[u8]) -> Option<Language> {
    let line = text.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    let line = std::str::from_utf8(line).ok()?;
    let mut words = line.split_whitespace().map(|word| word.rsplit('/').next().unwrap_or(word));
    let first = words.next()?;
    let program = if first == "env" {
        words.find(|word| !word.starts_with('-') && !word.contains('='))?
    } else {
        first
    };
    let plain = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    languages()
        .iter()
        .find(|language| language.entry().shebangs.iter().any(|name| *name == program || *name == plain))
        .cloned()
}

/// Signs that leave little doubt. A wrong guess costs more than none: plain text reduces too.
fn by_content(text: &[u8]) -> Option<Language> {
    let head = String::from_utf8_lossy(&text[..text.len().min(HEAD)]);
    let trimmed = head.trim_start();
    let starts = |prefixes: &[&str]| prefixes.iter().any(|prefix| trimmed.starts_with(prefix));
    let has = |parts: &[&str]| parts.iter().any(|part| head.contains(part));
    let name = if starts(&["<!DOCTYPE html", "<!doctype html", "<html"]) {
        "html"
    } else if starts(&["<?xml"]) {
        "xml"
    } else if starts(&["<?php"]) {
        "php"
    } else if starts(&["(module"]) {
        "wat"
    } else if starts(&["(set-", "(declare-", "(assert", "(define-fun", "; benchmark"]) {
        "smtlib"
    } else if starts(&["; ModuleID", "target triple", "define void @", "define i32 @"]) {
        "llvm"
    } else if has(&["#include <", "#include \""]) {
        if has(&["std::", "template<", "template <", "namespace ", "#include <iostream>"]) {
            "cpp"
        } else {
            "c"
        }
    } else if starts(&["{\"", "[{\"", "{\n  \"", "{\n    \""]) {
        "json"
    } else if starts(&["pragma solidity", "// SPDX-License-Identifier"])
        && has(&["contract ", "library ", "interface "])
    {
        "solidity"
    } else if starts(&["diff --git ", "--- a/"]) {
        "diff"
    } else {
        return None;
    };
    crate::language(name)
}
