//! The type checker. It knows nothing of constraints: it is what they are checked against.

use super::{Class, Expr, Interface, Program, Signature, Type, is_builtin};

type Checked<T> = Result<T, String>;
type Scope<'s> = &'s [(String, String)];

/// Whether the program is well typed; says what is wrong otherwise.
pub(crate) fn check(program: &Program) -> Checked<()> {
    for (index, decl) in program.types.iter().enumerate() {
        if program.types[..index].iter().any(|earlier| earlier.name() == decl.name()) {
            return Err(format!("{} is declared twice", decl.name()));
        }
        match decl {
            Type::Class(class) => check_class(program, class)?,
            Type::Interface(interface) => check_interface(program, interface)?,
        }
    }
    type_of(program, &[], &program.main).map(drop)
}

fn exists(program: &Program, name: &str) -> Checked<()> {
    let known = is_builtin(name) || program.types.iter().any(|decl| decl.name() == name);
    known.then_some(()).ok_or_else(|| format!("there is no type {name}"))
}

fn check_class(program: &Program, class: &Class) -> Checked<()> {
    exists(program, &class.extends)?;
    exists(program, &class.implements)?;
    for (kind, _) in program.fields(&class.name) {
        exists(program, &kind)?;
    }
    for method in &class.methods {
        let signature = &method.signature;
        check_signature(program, signature)?;
        if let Some(inherited) = program.method_type(&signature.name, &class.extends)
            && inherited.shape() != signature.shape()
        {
            return Err(format!("{}.{} overrides with another type", class.name, signature.name));
        }
        let this = ("this".to_owned(), class.name.clone());
        let scope: Vec<(String, String)> = signature
            .parameters
            .iter()
            .map(|(kind, name)| (name.clone(), kind.clone()))
            .chain([this])
            .collect();
        let found = type_of(program, &scope, &method.body)?;
        is_subtype(program, &found, &signature.result)?;
    }
    let promised = program.interface(&class.implements).map_or(&[][..], |interface| &interface.signatures);
    for signature in promised {
        let has = program.method_type(&signature.name, &class.name);
        if has.is_none_or(|has| has.shape() != signature.shape()) {
            return Err(format!("{} lacks {} of {}", class.name, signature.name, class.implements));
        }
    }
    Ok(())
}

fn check_interface(program: &Program, interface: &Interface) -> Checked<()> {
    interface.signatures.iter().try_for_each(|signature| check_signature(program, signature))
}

fn check_signature(program: &Program, signature: &Signature) -> Checked<()> {
    exists(program, &signature.result)?;
    signature.parameters.iter().try_for_each(|(kind, _)| exists(program, kind))
}

fn is_subtype(program: &Program, sub: &str, of: &str) -> Checked<()> {
    let mut at = sub.to_owned();
    loop {
        if at == of {
            return Ok(());
        }
        let Some(class) = program.class(&at) else {
            return Err(format!("{sub} is no subtype of {of}"));
        };
        if class.implements == of {
            return Ok(());
        }
        at.clone_from(&class.extends);
    }
}

fn check_arguments<'k>(
    program: &Program,
    scope: Scope<'_>,
    arguments: &[Expr],
    kinds: impl ExactSizeIterator<Item = &'k String>,
) -> Checked<()> {
    if arguments.len() != kinds.len() {
        return Err("wrong number of arguments".to_owned());
    }
    arguments
        .iter()
        .zip(kinds)
        .try_for_each(|(argument, kind)| is_subtype(program, &type_of(program, scope, argument)?, kind))
}

fn type_of(program: &Program, scope: Scope<'_>, expr: &Expr) -> Checked<String> {
    match expr {
        Expr::Variable(name) => {
            let found = scope.iter().find(|(known, _)| known == name);
            found.map(|(_, kind)| kind.clone()).ok_or_else(|| format!("unknown variable {name}"))
        }
        Expr::Field(of, field) => {
            let class = type_of(program, scope, of)?;
            let found = program.fields(&class).into_iter().find(|(_, name)| name == field);
            found.map(|(kind, _)| kind).ok_or_else(|| format!("{class} has no field {field}"))
        }
        Expr::Call(on, method, arguments) => {
            let receiver = type_of(program, scope, on)?;
            exists(program, &receiver)?;
            let signature = program.method_type(method, &receiver);
            let signature = signature.ok_or_else(|| format!("{receiver} has no method {method}"))?;
            check_arguments(program, scope, arguments, signature.parameters.iter().map(|(kind, _)| kind))?;
            Ok(signature.result.clone())
        }
        Expr::New(class, arguments) => {
            exists(program, class)?;
            let fields = program.fields(class);
            check_arguments(program, scope, arguments, fields.iter().map(|(kind, _)| kind))?;
            Ok(class.clone())
        }
        Expr::Cast(to, inner) => {
            exists(program, to)?;
            type_of(program, scope, inner)?;
            Ok(to.clone())
        }
    }
}
