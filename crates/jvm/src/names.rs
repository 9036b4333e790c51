//! Descriptors and generic signatures: which classes they name, and their parts.

use crate::error::BadClass;

/// How deep type arguments may be nested; compilers stay far below, and made-up ones must not use up the stack.
const DEEPEST: usize = 200;

/// Reads types out of a descriptor or signature, telling the name of every class.
struct Types<'t, 'f> {
    text: &'t str,
    at: usize,
    class: &'f mut dyn FnMut(&str),
}

impl<'t> Types<'t, '_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn until(&mut self, stops: &[char]) -> Option<&'t str> {
        let rest = &self.text[self.at..];
        let length = rest.find(stops)?;
        self.at += length;
        Some(&rest[..length])
    }

    fn one(&mut self, depth: usize) -> Option<()> {
        if depth > DEEPEST {
            return None;
        }
        match self.peek()? {
            b'B' | b'C' | b'D' | b'F' | b'I' | b'J' | b'S' | b'Z' | b'V' => self.at += 1,
            b'[' => {
                self.at += 1;
                self.one(depth + 1)?;
            }
            b'T' => {
                self.until(&[';'])?;
                self.at += 1;
            }
            b'L' => {
                self.at += 1;
                self.class_type(depth)?;
            }
            _ => return None,
        }
        Some(())
    }

    fn class_type(&mut self, depth: usize) -> Option<()> {
        let mut name = String::new();
        loop {
            name.push_str(self.until(&['<', ';', '.'])?);
            if self.peek() == Some(b'<') {
                self.at += 1;
                self.arguments(depth)?;
            }
            (self.class)(&name);
            self.at += 1;
            match self.text.as_bytes()[self.at - 1] {
                b';' => return Some(()),
                b'.' => name.push('$'),
                _ => return None,
            }
            self.peek()?;
        }
    }

    fn arguments(&mut self, depth: usize) -> Option<()> {
        loop {
            match self.peek()? {
                b'>' => {
                    self.at += 1;
                    // What follows the arguments ends the name or goes on with an inner class.
                    return matches!(self.peek()?, b';' | b'.').then_some(());
                }
                b'*' => self.at += 1,
                b'+' | b'-' => {
                    self.at += 1;
                    self.one(depth + 1)?;
                }
                _ => self.one(depth + 1)?,
            }
        }
    }

    fn parameters(&mut self) -> Option<()> {
        if self.peek() != Some(b'<') {
            return Some(());
        }
        self.at += 1;
        while self.peek()? != b'>' {
            self.until(&[':'])?;
            while self.peek()? == b':' {
                self.at += 1;
                if self.peek()? != b':' {
                    self.one(0)?;
                }
            }
        }
        self.at += 1;
        Some(())
    }

    fn whole(&mut self) -> Option<()> {
        self.parameters()?;
        if self.peek() == Some(b'(') {
            self.at += 1;
            while self.peek()? != b')' {
                self.one(0)?;
            }
            self.at += 1;
        }
        while let Some(next) = self.peek() {
            if next == b'^' {
                self.at += 1;
            }
            self.one(0)?;
        }
        Some(())
    }
}

/// The classes that a descriptor or signature of any kind names. Text that is neither names none.
pub(crate) fn classes_in(text: &str) -> Vec<String> {
    let mut classes = Vec::new();
    let mut class = |name: &str| classes.push(name.to_owned());
    let mut types = Types { text, at: 0, class: &mut class };
    if types.whole().is_none() {
        return Vec::new();
    }
    classes
}

/// The signature of a class cut into its type parameters and its supertypes, the superclass first.
pub(crate) fn class_signature(text: &str) -> Option<(&str, Vec<&str>)> {
    let mut nobody = |_: &str| {};
    let mut types = Types { text, at: 0, class: &mut nobody };
    types.parameters()?;
    let parameters = &text[..types.at];
    let mut supertypes = Vec::new();
    while types.peek().is_some() {
        let start = types.at;
        types.one(0)?;
        supertypes.push(&text[start..types.at]);
    }
    Some((parameters, supertypes))
}

/// The parameter types and the return type of a method descriptor.
pub(crate) fn method_types(descriptor: &str) -> Result<(Vec<&str>, &str), BadClass> {
    let bad = || BadClass::Descriptor(descriptor.to_owned());
    let mut nobody = |_: &str| {};
    let mut types = Types { text: descriptor, at: 1, class: &mut nobody };
    if !descriptor.starts_with('(') {
        return Err(bad());
    }
    let mut parameters = Vec::new();
    while types.peek().ok_or_else(bad)? != b')' {
        let start = types.at;
        types.one(0).ok_or_else(bad)?;
        parameters.push(&descriptor[start..types.at]);
    }
    let start = types.at + 1;
    types.at = start;
    types.one(0).ok_or_else(bad)?;
    if types.at != descriptor.len() {
        return Err(bad());
    }
    Ok((parameters, &descriptor[start..]))
}

/// The name by which constants know a field type: `a/B` for `La/B;`, arrays as they are, nothing for numbers.
pub(crate) fn reference_name(descriptor: &str) -> Option<&str> {
    if descriptor.starts_with('[') {
        return Some(descriptor);
    }
    descriptor.strip_prefix('L')?.strip_suffix(';')
}

/// The class at the bottom of a class name as constants have it: `a/B` for `[[La/B;`, nothing for arrays of numbers.
pub(crate) fn element_class(name: &str) -> Option<&str> {
    if name.starts_with('[') { reference_name(name.trim_start_matches('[')) } else { Some(name) }
}

/// The package of a class.
pub(crate) fn package(class: &str) -> &str {
    class.rsplit_once('/').map_or("", |(package, _)| package)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_of_a_signature_is_named_and_inner_ones_by_their_full_name() {
        for (text, classes) in [
            ("(ILa/B;[[Lc/D;)V", &["a/B", "c/D"][..]),
            ("La/Outer<Lx/Y;*>.Inner<+[Lz/Z;>;", &["x/Y", "a/Outer", "z/Z", "a/Outer$Inner"]),
            (
                "<T:Lb/Base;:Lb/Face;U::Lb/Other<TT;>;>Ls/Super;Li/Face<TU;>;",
                &["b/Base", "b/Face", "b/Other", "s/Super", "i/Face"],
            ),
            ("<E:Ljava/lang/Exception;>(TE;)V^TE;^Lx/X;", &["java/lang/Exception", "x/X"]),
            ("hello (world)", &[]),
            ("Llama", &[]),
            ("L;", &[""]),
        ] {
            assert_eq!(classes_in(text), classes, "{text}");
        }
    }

    #[test]
    fn class_signatures_fall_into_parameters_and_supertypes() {
        assert_eq!(
            class_signature("<T:Ljava/lang/Object;>La/B<TT;>;Lc/D;"),
            Some(("<T:Ljava/lang/Object;>", vec!["La/B<TT;>;", "Lc/D;"]))
        );
    }

    #[test]
    fn method_descriptors_fall_into_parameters_and_result() {
        assert_eq!(method_types("(J[ILa/B;)V"), Ok((vec!["J", "[I", "La/B;"], "V")));
        for bad in ["", "()", "(I", "I", "()VV", "(La;"] {
            assert!(method_types(bad).is_err(), "{bad}");
        }
    }
}
