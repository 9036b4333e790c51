//! What is left of a program when only some items are kept.

use super::{Class, EMPTY, Expr, Interface, Method, Program, Signature, Type};

/// The program with exactly the items that `kept` names. A method without its body calls itself, which always types.
pub(crate) fn reduce(program: &Program, kept: &dyn Fn(&str) -> bool) -> Program {
    let types = program.types.iter().filter(|decl| kept(decl.name())).map(|decl| match decl {
        Type::Class(class) => Type::Class(reduce_class(class, kept)),
        Type::Interface(interface) => Type::Interface(Interface {
            signatures: (interface.signatures.iter())
                .filter(|signature| kept(&format!("{}.{}", interface.name, signature.name)))
                .cloned()
                .collect(),
            ..interface.clone()
        }),
    });
    Program { types: types.collect(), main: program.main.clone() }
}

fn reduce_class(class: &Class, kept: &dyn Fn(&str) -> bool) -> Class {
    let methods = class.methods.iter().filter_map(|method| {
        let name = format!("{}.{}", class.name, method.signature.name);
        if kept(&format!("{name}!")) {
            Some(method.clone())
        } else {
            kept(&name).then(|| stub(&method.signature))
        }
    });
    let keeps_edge = kept(&format!("{}<{}", class.name, class.implements));
    Class {
        implements: if keeps_edge { class.implements.clone() } else { EMPTY.to_owned() },
        methods: methods.collect(),
        ..class.clone()
    }
}

fn stub(signature: &Signature) -> Method {
    let this = Box::new(Expr::Variable("this".to_owned()));
    let arguments = signature.parameters.iter().map(|(_, name)| Expr::Variable(name.clone())).collect();
    Method { signature: signature.clone(), body: Expr::Call(this, signature.name.clone(), arguments) }
}
