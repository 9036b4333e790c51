//! The tool that the demo debugs: a calculator for `let NAME = EXPRESSION` and `print EXPRESSION`, one a line.

use std::collections::HashMap;

/// How a program ends.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// All lines were worked out.
    Fine,
    /// The program makes no sense: a name without a value, a bracket too many.
    Rejected,
    /// It makes sense, and divides by zero.
    DividedByZero,
}

/// Runs a program.
pub(super) fn run(program: &[u8]) -> Outcome {
    let Ok(program) = std::str::from_utf8(program) else {
        return Outcome::Rejected;
    };
    let mut names = HashMap::new();
    for line in program.lines() {
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        let (name, expression) = match line.split_once(' ') {
            Some(("print", expression)) => (None, expression),
            Some(("let", rest)) => match rest.split_once('=') {
                Some((name, expression)) if is_name(name.trim()) => (Some(name.trim()), expression),
                _ => return Outcome::Rejected,
            },
            _ => return Outcome::Rejected,
        };
        let mut reader = Reader { rest: expression.as_bytes(), names: &names, depth: 0 };
        match reader.sum() {
            Ok(value) if reader.peek().is_none() => {
                if let Some(name) = name {
                    names.insert(name.to_owned(), value);
                }
            }
            Ok(_) => return Outcome::Rejected,
            Err(outcome) => return outcome,
        }
    }
    Outcome::Fine
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic()) && text.bytes().all(is_name_byte)
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

struct Reader<'a> {
    rest: &'a [u8],
    names: &'a HashMap<String, i64>,
    depth: usize,
}

impl Reader<'_> {
    fn peek(&mut self) -> Option<u8> {
        self.rest = self.rest.trim_ascii_start();
        self.rest.first().copied()
    }

    fn eat(&mut self, wanted: u8) -> bool {
        let there = self.peek() == Some(wanted);
        if there {
            self.rest = &self.rest[1..];
        }
        there
    }

    fn sum(&mut self) -> Result<i64, Outcome> {
        let mut value = self.product()?;
        loop {
            if self.eat(b'+') {
                value = value.wrapping_add(self.product()?);
            } else if self.eat(b'-') {
                value = value.wrapping_sub(self.product()?);
            } else {
                return Ok(value);
            }
        }
    }

    fn product(&mut self) -> Result<i64, Outcome> {
        let mut value = self.atom()?;
        loop {
            if self.eat(b'*') {
                value = value.wrapping_mul(self.atom()?);
            } else if self.eat(b'/') {
                match self.atom()? {
                    0 => return Err(Outcome::DividedByZero),
                    by => value = value.wrapping_div(by),
                }
            } else {
                return Ok(value);
            }
        }
    }

    fn atom(&mut self) -> Result<i64, Outcome> {
        if self.eat(b'(') {
            // Nothing a person writes is that deep, and the stack is finite.
            self.depth += 1;
            if self.depth > 200 {
                return Err(Outcome::Rejected);
            }
            let value = self.sum()?;
            self.depth -= 1;
            return if self.eat(b')') { Ok(value) } else { Err(Outcome::Rejected) };
        }
        let first = self.peek().ok_or(Outcome::Rejected)?;
        let len = self.rest.iter().take_while(|byte| is_name_byte(**byte)).count();
        let word = std::str::from_utf8(&self.rest[..len]).map_err(|_| Outcome::Rejected)?;
        self.rest = &self.rest[len..];
        if first.is_ascii_digit() {
            word.parse().map_err(|_| Outcome::Rejected)
        } else {
            self.names.get(word).copied().ok_or(Outcome::Rejected)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_run_are_refused_or_divide_by_zero() {
        let table: [(&str, Outcome); 9] = [
            ("", Outcome::Fine),
            ("let a = 2 * (3 + 4)\nprint a # fourteen", Outcome::Fine),
            ("print 1 / (2 - 2)", Outcome::DividedByZero),
            ("let a = 0\nlet b = 7 / a", Outcome::DividedByZero),
            ("print b", Outcome::Rejected),
            ("print (1", Outcome::Rejected),
            ("print 1)", Outcome::Rejected),
            ("1 / 0", Outcome::Rejected),
            ("print 99999999999999999999", Outcome::Rejected),
        ];
        for (program, outcome) in table {
            assert_eq!(run(program.as_bytes()), outcome, "{program}");
        }
        assert_eq!(run(format!("print {}", "(".repeat(100_000)).as_bytes()), Outcome::Rejected);
    }

    #[test]
    fn the_demo_divides_by_zero() {
        assert_eq!(run(super::super::PROGRAM), Outcome::DividedByZero);
    }
}
