//! The constraint generator: each typing rule says what must stay for it to go on holding.

use dwindle_logic::{Formula, Item, Items, Model, ModelBuilder};

use super::{Class, Expr, Interface, Program, Signature, Type, is_builtin};

/// The removable items of a program, in declaration order: a type, its methods each followed by its body, and its
/// implements edge.
pub(crate) fn items(program: &Program) -> Items {
    let mut names = Vec::new();
    for decl in &program.types {
        names.push(decl.name().to_owned());
        match decl {
            Type::Class(class) => {
                for method in &class.methods {
                    names.push(format!("{}.{}", class.name, method.signature.name));
                    names.push(format!("{}.{}!", class.name, method.signature.name));
                }
                if !is_builtin(&class.implements) {
                    names.push(format!("{}<{}", class.name, class.implements));
                }
            }
            Type::Interface(interface) => {
                names.extend(interface.signatures.iter().map(|s| format!("{}.{}", interface.name, s.name)));
            }
        }
    }
    Items::new(names.into_iter().map(Item::new).collect()).expect("a well-typed program has distinct names")
}

/// The model of a well-typed program.
pub(crate) fn model(program: &Program) -> Model {
    let generator = Generator { program, items: items(program) };
    let mut builder = ModelBuilder::new(generator.items.clone());
    for decl in &program.types {
        let constraint = match decl {
            Type::Class(class) => generator.class(class),
            Type::Interface(interface) => generator.interface(interface),
        };
        builder.rule(&constraint, decl.name());
    }
    builder.rule(&generator.expr(&[], &program.main).1, "main expression");
    builder.finish().expect("a well-typed program satisfies its own constraints")
}

struct Generator<'p> {
    program: &'p Program,
    items: Items,
}

type Scope<'s> = &'s [(String, String)];

impl Generator<'_> {
    fn item(&self, name: &str) -> Formula {
        Formula::item(self.items.find(name).unwrap_or_else(|| panic!("no item {name}")))
    }

    fn kind(&self, name: &str) -> Formula {
        if is_builtin(name) { Formula::Const(true) } else { self.item(name) }
    }

    fn edge(&self, class: &Class) -> Formula {
        if is_builtin(&class.implements) {
            Formula::Const(true)
        } else {
            self.item(&format!("{}<{}", class.name, class.implements))
        }
    }

    fn class(&self, class: &Class) -> Formula {
        let mut parts = Vec::new();
        let fields = self.program.fields(&class.name);
        let needed = fields.iter().map(|(kind, _)| self.kind(kind)).chain([self.kind(&class.extends)]);
        parts.push(self.kind(&class.name).implies(Formula::all(needed)));
        if !is_builtin(&class.implements) {
            let both = Formula::all([self.kind(&class.name), self.kind(&class.implements)]);
            parts.push(self.edge(class).implies(both));
        }
        for method in &class.methods {
            let signature = &method.signature;
            let name = format!("{}.{}", class.name, signature.name);
            parts.push(self.signature(&name, &class.name, signature));
            let this = ("this".to_owned(), class.name.clone());
            let scope: Vec<(String, String)> = signature
                .parameters
                .iter()
                .map(|(kind, name)| (name.clone(), kind.clone()))
                .chain([this])
                .collect();
            let (found, typed) = self.expr(&scope, &method.body);
            let fits = self.subtype(&found, &signature.result);
            parts.push(self.item(&format!("{name}!")).implies(Formula::all([self.item(&name), typed, fits])));
        }
        if let Some(interface) = self.program.interface(&class.implements) {
            for signature in &interface.signatures {
                let promise = self.item(&format!("{}.{}", interface.name, signature.name));
                let premise = Formula::all([self.edge(class), promise]);
                parts.push(premise.implies(self.method(&signature.name, &class.name)));
            }
        }
        Formula::All(parts)
    }

    fn interface(&self, interface: &Interface) -> Formula {
        Formula::all(interface.signatures.iter().map(|signature| {
            self.signature(&format!("{}.{}", interface.name, signature.name), &interface.name, signature)
        }))
    }

    fn signature(&self, item: &str, owner: &str, signature: &Signature) -> Formula {
        let kinds = signature.parameters.iter().map(|(kind, _)| kind).chain([&signature.result]);
        self.item(item).implies(Formula::all(kinds.map(|kind| self.kind(kind)).chain([self.kind(owner)])))
    }

    /// Some declaration of the method stays, at the type or above it.
    fn method(&self, method: &str, on: &str) -> Formula {
        if self.program.interface(on).is_some() {
            return self.item(&format!("{on}.{method}"));
        }
        let Some(class) = self.program.class(on) else {
            return Formula::Const(false);
        };
        let above = self.method(method, &class.extends);
        if class.methods.iter().any(|own| own.signature.name == method) {
            Formula::any([self.item(&format!("{on}.{method}")), above])
        } else {
            above
        }
    }

    fn subtype(&self, sub: &str, of: &str) -> Formula {
        if sub == of {
            return Formula::Const(true);
        }
        let class = self.program.class(sub).expect("the program is well typed");
        if class.implements == of { self.edge(class) } else { self.subtype(&class.extends, of) }
    }

    fn arguments<'k>(
        &self,
        scope: Scope<'_>,
        arguments: &[Expr],
        kinds: impl Iterator<Item = &'k String>,
    ) -> Formula {
        Formula::all(arguments.iter().zip(kinds).map(|(argument, kind)| {
            let (found, typed) = self.expr(scope, argument);
            Formula::all([typed, self.subtype(&found, kind)])
        }))
    }

    /// The type of an expression, and what must stay for it to have one.
    fn expr(&self, scope: Scope<'_>, expr: &Expr) -> (String, Formula) {
        match expr {
            Expr::Variable(name) => {
                let (_, kind) = scope.iter().find(|(known, _)| known == name).expect("well typed");
                (kind.clone(), Formula::Const(true))
            }
            Expr::Field(of, field) => {
                let (class, typed) = self.expr(scope, of);
                let (kind, _) = self
                    .program
                    .fields(&class)
                    .into_iter()
                    .find(|(_, name)| name == field)
                    .expect("well typed");
                (kind, typed)
            }
            Expr::Call(on, method, arguments) => {
                let (receiver, typed) = self.expr(scope, on);
                let signature = self.program.method_type(method, &receiver).expect("well typed");
                let fits =
                    self.arguments(scope, arguments, signature.parameters.iter().map(|(kind, _)| kind));
                let parts = [self.kind(&receiver), typed, self.method(method, &receiver), fits];
                (signature.result.clone(), Formula::all(parts))
            }
            Expr::New(class, arguments) => {
                let fields = self.program.fields(class);
                let fits = self.arguments(scope, arguments, fields.iter().map(|(kind, _)| kind));
                (class.clone(), Formula::all([self.kind(class), fits]))
            }
            Expr::Cast(to, inner) => {
                let (_, typed) = self.expr(scope, inner);
                (to.clone(), Formula::all([self.kind(to), typed]))
            }
        }
    }
}
