//! Reads programs. Panics on nonsense: the programs are ours.

use super::{Class, EMPTY, Expr, Interface, Method, OBJECT, Program, Signature, Type};

/// Reads type declarations; the main expression comes last, as `main e;`.
pub(crate) fn program(text: &str) -> Program {
    let mut reader = Reader { tokens: tokens(text), at: 0 };
    let mut types = Vec::new();
    loop {
        match reader.next().as_str() {
            "class" => types.push(Type::Class(reader.class())),
            "interface" => types.push(Type::Interface(reader.interface())),
            "main" => {
                let main = reader.expr();
                reader.expect(";");
                return Program { types, main };
            }
            other => panic!("expected a declaration, found `{other}`"),
        }
    }
}

fn tokens(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let mut glue = false;
    for c in text.chars() {
        let word = c.is_alphanumeric();
        if word && glue {
            tokens.last_mut().expect("glue follows a token").push(c);
        } else if !c.is_whitespace() {
            tokens.push(c.to_string());
        }
        glue = word;
    }
    tokens
}

struct Reader {
    tokens: Vec<String>,
    at: usize,
}

impl Reader {
    fn peek(&self, ahead: usize) -> &str {
        self.tokens.get(self.at + ahead).map_or("", String::as_str)
    }

    fn next(&mut self) -> String {
        self.at += 1;
        self.tokens[self.at - 1].clone()
    }

    fn accept(&mut self, token: &str) -> bool {
        let found = self.peek(0) == token;
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, token: &str) {
        assert!(self.accept(token), "expected `{token}`, found `{}`", self.peek(0));
    }

    fn class(&mut self) -> Class {
        let name = self.next();
        let extends = if self.accept("extends") { self.next() } else { OBJECT.to_owned() };
        let implements = if self.accept("implements") { self.next() } else { EMPTY.to_owned() };
        let (mut fields, mut methods) = (Vec::new(), Vec::new());
        self.expect("{");
        while !self.accept("}") {
            if self.peek(2) == ";" {
                fields.push((self.next(), self.next()));
                self.expect(";");
                continue;
            }
            let signature = self.signature();
            self.expect("{");
            self.expect("return");
            let body = self.expr();
            self.expect(";");
            self.expect("}");
            methods.push(Method { signature, body });
        }
        Class { name, extends, implements, fields, methods }
    }

    fn interface(&mut self) -> Interface {
        let name = self.next();
        let mut signatures = Vec::new();
        self.expect("{");
        while !self.accept("}") {
            signatures.push(self.signature());
            self.expect(";");
        }
        Interface { name, signatures }
    }

    fn signature(&mut self) -> Signature {
        let (result, name) = (self.next(), self.next());
        self.expect("(");
        let mut parameters = Vec::new();
        while !self.accept(")") {
            parameters.push((self.next(), self.next()));
            self.accept(",");
        }
        Signature { result, name, parameters }
    }

    fn expr(&mut self) -> Expr {
        let mut expr = if self.accept("(") {
            let to = self.next();
            self.expect(")");
            return Expr::Cast(to, Box::new(self.expr()));
        } else if self.accept("new") {
            let class = self.next();
            Expr::New(class, self.arguments())
        } else {
            Expr::Variable(self.next())
        };
        while self.accept(".") {
            let member = self.next();
            expr = if self.peek(0) == "(" {
                Expr::Call(Box::new(expr), member, self.arguments())
            } else {
                Expr::Field(Box::new(expr), member)
            };
        }
        expr
    }

    fn arguments(&mut self) -> Vec<Expr> {
        let mut arguments = Vec::new();
        self.expect("(");
        while !self.accept(")") {
            arguments.push(self.expr());
            self.accept(",");
        }
        arguments
    }
}
