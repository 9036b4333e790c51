//! Writes a class with some of its items left out.

use std::sync::Arc;

use dwindle_logic::{ItemId, ItemSet};

use crate::bytes::{Input, Output};
use crate::class::{Attribute, ClassFile, access};
use crate::code::{stub, without_attributes};
use crate::cuts::Cut;
use crate::error::BadClass;
use crate::hierarchy::OBJECT;
use crate::items::{AttributeItems, ClassItems};
use crate::names::class_signature;
use crate::pool::Constant;
use crate::splice::splice;
use crate::tables::{list_bytes, read_bootstrap_methods};

/// Which classes are kept, and which links between them; both by name.
pub(crate) trait Surroundings {
    /// Whether a class is there: kept, or not part of the program.
    fn exists(&self, name: &str) -> bool;
    /// Whether `name` is there and names `above` as its superclass or interface.
    fn is_directly_below(&self, name: &str, above: &str) -> bool;
}

/// The class with the kept items only. Bodies that are gone become stubs, a superclass that is gone becomes
/// `java/lang/Object`; constants that nothing uses any more are left out.
pub(crate) fn trim(
    class: &ClassFile,
    items: &ClassItems,
    kept: &ItemSet,
    around: &dyn Surroundings,
) -> Result<ClassFile, BadClass> {
    let mut class = class.clone();
    let keeps = |item: &ItemId| kept.contains(*item);
    drop_attributes(&mut class.attributes, &items.attributes, kept);
    for (field, items) in class.fields.iter_mut().zip(&items.fields) {
        drop_attributes(&mut field.attributes, &items.attributes, kept);
    }
    for position in 0..class.methods.len() {
        let items = &items.methods[position];
        if items.code_attributes.iter().flatten().any(|item| !keeps(item)) {
            let code = body_mut(&mut class, position);
            code.bytes = without_attributes(&code.bytes, &mut |at| {
                items.code_attributes.get(at).is_none_or(|item| item.is_none_or(|item| keeps(&item)))
            })?
            .into();
        }
        let gone: Vec<&Cut> =
            items.cuts.iter().filter(|(_, item)| !keeps(item)).map(|(cut, _)| cut).collect();
        if !gone.is_empty() && items.code.is_some_and(|code| keeps(&code)) {
            let method = class.methods[position].clone();
            let bytes = Arc::clone(&body_mut(&mut class, position).bytes);
            body_mut(&mut class, position).bytes = splice(&mut class, &method, &bytes, &gone)?.into();
        }
        drop_attributes(&mut class.methods[position].attributes, &items.attributes, kept);
    }
    let kept_parent = items.extends.is_none_or(|link| keeps(&link));
    let kept_links: Vec<bool> = items.implements.iter().map(keeps).collect();
    if !kept_parent || kept_links.contains(&false) {
        trim_links(&mut class, kept_parent, &kept_links)?;
    }
    let mut fields = items.fields.iter();
    class.fields.retain_mut(|field| {
        let item = fields.next().expect("one item a field");
        if item.finality.is_some_and(|finality| !keeps(&finality)) {
            field.access &= !access::FINAL;
        }
        keeps(&item.field)
    });
    let mut methods = items.methods.iter();
    let mut stubbed = Vec::new();
    let pool = class.pool.clone();
    class.methods.retain_mut(|method| {
        let item = methods.next().expect("one item a method");
        let is_abstract = item.defaultness.is_some_and(|defaultness| !keeps(&defaultness));
        if is_abstract {
            method.access = method.access & !access::STRICT | access::ABSTRACT;
            method.attributes.retain(|attribute| !pool.text(attribute.name).is_ok_and(|name| name == "Code"));
        }
        if keeps(&item.method) {
            stubbed.push(!is_abstract && item.code.is_some_and(|code| !keeps(&code)));
        }
        keeps(&item.method)
    });
    for position in stubbed.iter().enumerate().filter_map(|(at, stub)| stub.then_some(at)) {
        replace_body(&mut class, position)?;
    }
    filter_lists(&mut class, items, kept, around)?;
    class.drop_unknown_and_unused();
    Ok(class)
}

/// The `Code` attribute of a method that has one.
fn body_mut(class: &mut ClassFile, position: usize) -> &mut Attribute {
    let pool = &class.pool;
    let is_code = |name: u16| matches!(pool.get(name), Some(Constant::Utf8(name)) if **name == *b"Code");
    let mut attributes = class.methods[position].attributes.iter_mut();
    attributes.find(|attribute| is_code(attribute.name)).expect("only asked of methods with a body")
}

fn drop_attributes(list: &mut Vec<Attribute>, items: &AttributeItems, kept: &ItemSet) {
    let mut items = items.iter();
    list.retain(|_| items.next().is_none_or(|item| item.is_none_or(|item| kept.contains(item))));
}

fn trim_links(class: &mut ClassFile, kept_parent: bool, kept_links: &[bool]) -> Result<(), BadClass> {
    if !kept_parent {
        class.super_class = class.pool.add_class(OBJECT)?;
    }
    let mut kept = kept_links.iter();
    class.interfaces.retain(|_| *kept.next().expect("one link an interface"));
    // Annotations on the types after `extends` and `implements` count them; what they would mean now is not clear.
    let pool = class.pool.clone();
    class
        .attributes
        .retain(|attribute| !pool.text(attribute.name).is_ok_and(|name| name.ends_with("TypeAnnotations")));
    let Some(position) = class.attributes.iter().position(|attribute| class.is_named(attribute, "Signature"))
    else {
        return Ok(());
    };
    let text = class.pool.text(Input::new(&class.attributes[position].bytes).u2("a signature")?)?;
    match class_signature(&text) {
        Some((parameters, supertypes)) if supertypes.len() == 1 + kept_links.len() => {
            let parent = if kept_parent { supertypes[0] } else { "Ljava/lang/Object;" };
            let mut signature = format!("{parameters}{parent}");
            for (type_, _) in supertypes[1..].iter().zip(kept_links).filter(|(_, kept)| **kept) {
                signature.push_str(type_);
            }
            let index = class.pool.add_text(&signature)?;
            class.attributes[position].bytes = Arc::new(index.to_be_bytes());
        }
        _ => {
            class.attributes.remove(position);
        }
    }
    Ok(())
}

fn replace_body(class: &mut ClassFile, position: usize) -> Result<(), BadClass> {
    let method = &class.methods[position];
    let is_static = method.is(access::STATIC);
    let descriptor = class.pool.text(method.descriptor)?;
    let super_init = if class.pool.text(method.name)? == "<init>" {
        let parent = class.super_name()?.unwrap_or_else(|| OBJECT.to_owned());
        Some(class.pool.add_method(&parent, "<init>", "()V")?)
    } else {
        None
    };
    let bytes = stub(is_static, &descriptor, super_init)?;
    body_mut(class, position).bytes = bytes.into();
    Ok(())
}

/// Shortens the attributes that list classes or bootstrap methods; those that become empty go.
fn filter_lists(
    class: &mut ClassFile,
    items: &ClassItems,
    kept: &ItemSet,
    around: &dyn Surroundings,
) -> Result<(), BadClass> {
    let own = class.name()?;
    let mut attributes = std::mem::take(&mut class.attributes);
    let mut result = Ok(());
    attributes.retain_mut(|attribute| {
        filter_list(class, &own, attribute, items, kept, around).unwrap_or_else(|why| {
            result = Err(why);
            false
        })
    });
    class.attributes = attributes;
    result
}

type Keep<'k> = &'k mut dyn FnMut(usize, &[u8]) -> Result<bool, BadClass>;

/// A list of elements of `size` bytes after its count, without those that do not stay; nothing if none does.
fn chunks(bytes: &[u8], size: usize, keep: Keep<'_>) -> Result<Option<Vec<u8>>, BadClass> {
    let mut left = Vec::new();
    for (position, element) in bytes[2.min(bytes.len())..].chunks_exact(size).enumerate() {
        if keep(position, element)? {
            left.push(element);
        }
    }
    Ok((!left.is_empty()).then(|| list_bytes(left.into_iter())))
}

/// Whether the attribute stays.
fn filter_list(
    class: &mut ClassFile,
    own: &str,
    attribute: &mut Attribute,
    items: &ClassItems,
    kept: &ItemSet,
    around: &dyn Surroundings,
) -> Result<bool, BadClass> {
    let class_at = |class: &ClassFile, two: &[u8]| {
        let index = Input::new(two).u2("a list of classes")?;
        class.pool.class(index)
    };
    let name = class.pool.text(attribute.name)?;
    let bytes = Arc::clone(&attribute.bytes);
    let left: Option<Vec<u8>> = match name.as_str() {
        "InnerClasses" => chunks(&bytes, 8, &mut |position, _| {
            Ok(items.inner.get(position).is_none_or(|item| kept.contains(*item)))
        })?,
        "NestMembers" => chunks(&bytes, 2, &mut |_, two| Ok(around.exists(&class_at(class, two)?)))?,
        "PermittedSubclasses" => {
            chunks(&bytes, 2, &mut |_, two| Ok(around.is_directly_below(&class_at(class, two)?, own)))?
        }
        "NestHost" => return Ok(around.exists(&class_at(class, &bytes)?)),
        "BootstrapMethods" => filter_bootstrap(class, &bytes, items, kept)?,
        _ => return Ok(true),
    };
    let Some(left) = left else { return Ok(false) };
    attribute.bytes = left.into();
    Ok(true)
}

/// The bootstrap methods that are left; the constants that use them get their new numbers.
fn filter_bootstrap(
    class: &mut ClassFile,
    bytes: &[u8],
    items: &ClassItems,
    kept: &ItemSet,
) -> Result<Option<Vec<u8>>, BadClass> {
    let mut numbers = Vec::new();
    let mut left = Vec::new();
    for (method, item) in read_bootstrap_methods(bytes)?.iter().zip(&items.bootstrap) {
        let stays = kept.contains(*item);
        numbers.push(stays.then(|| u16::try_from(left.len()).expect("fewer than before")));
        if stays {
            let mut element = Vec::new();
            element.put2(method.handle);
            element.put_count(method.arguments.len());
            for argument in &method.arguments {
                element.put2(*argument);
            }
            left.push(element);
        }
    }
    for constant in class.pool.list_mut() {
        // Constants whose bootstrap method is gone are not used any more, and go with the others.
        if let Constant::Dynamic(_, number, _) = constant
            && let Some(Some(new)) = numbers.get(usize::from(*number))
        {
            *number = *new;
        }
    }
    Ok((!left.is_empty()).then(|| list_bytes(left.iter().map(Vec::as_slice))))
}
