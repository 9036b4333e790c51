//! The rules of attributes: what annotations, signatures, `throws` clauses and tables of variables name.

use std::sync::Arc;

use dwindle_logic::ItemId;

use crate::annotation::{Named, named_in};
use crate::bytes::Input;
use crate::class::{Attribute, ClassFile};
use crate::code::Code;
use crate::error::BadClass;
use crate::hierarchy::Outline;
use crate::items::{AttributeItems, MethodItems};
use crate::names::classes_in;
use crate::rules::{Done, Rules, Why};
use crate::tables::class_list;

impl Rules<'_> {
    /// What attributes of a class or member name. Those that are items of their own need it, or else their owner.
    pub(crate) fn need_attributes(
        &mut self,
        class: usize,
        owner: ItemId,
        items: &AttributeItems,
        attributes: &[Attribute],
    ) -> Done {
        let file = Arc::clone(&self.files[class]);
        for (position, attribute) in attributes.iter().enumerate() {
            let item = items.get(position).copied().flatten().unwrap_or(owner);
            match file.pool.text(attribute.name)?.as_str() {
                "Exceptions" => {
                    for (_, name) in class_list(&file, attribute)? {
                        self.need_class(class, item, &name, Why::Names);
                        let thrown = self.paths.subtype(&name, "java/lang/Throwable");
                        self.imply(item, &thrown, Why::Names);
                    }
                }
                "Signature" => {
                    self.need_generic(class, item, &signature_text(&file, attribute)?);
                    self.need_parameters(class, item);
                }
                _ => {
                    for named in named_in(&file, attribute)? {
                        self.need_named(class, item, named);
                    }
                }
            }
        }
        Ok(())
    }

    /// The classes a signature names; where one has type parameters, they stay.
    pub(crate) fn need_generic(&mut self, class: usize, item: ItemId, text: &str) {
        for name in classes_in(text) {
            self.need_class(class, item, &name, Why::Names);
            if let Some(other) = self.world.in_program(&name) {
                self.need_parameters(other, item);
            }
        }
    }

    /// The type parameters of a class, where they are an item of their own.
    fn need_parameters(&mut self, class: usize, item: ItemId) {
        let file = &self.files[class];
        let position = file.attributes.iter().position(|one| file.is_named(one, "Signature"));
        let generic = position.and_then(|at| self.classes[class].attributes.get(at).copied().flatten());
        if let Some(generic) = generic {
            self.need(item, generic, Why::Names);
        }
    }

    fn need_named(&mut self, class: usize, item: ItemId, named: Named) {
        let program_class = |rules: &Self, descriptor: &str| {
            let name = descriptor.strip_prefix('L')?.strip_suffix(';')?;
            rules.world.in_program(name)
        };
        match named {
            Named::Types(text) => self.need_types(class, item, &text, Why::Names),
            Named::Element(type_, element) => {
                if let Some(owner) = program_class(self, &type_)
                    && let Some(position) =
                        self.world.briefs[owner].methods.iter().position(|method| *method.name == *element)
                {
                    self.need(item, self.classes[owner].methods[position].method, Why::Names);
                }
            }
            Named::EnumConstant(type_, constant) => {
                if let Some(owner) = program_class(self, &type_)
                    && let Some(position) =
                        self.world.briefs[owner].fields.iter().position(|field| *field.name == *constant)
                {
                    self.need(item, self.classes[owner].fields[position].field, Why::Names);
                }
            }
        }
    }

    /// Types of local variables: no machine looks at them, but decompilers do.
    pub(crate) fn debug_names(
        &mut self,
        class: usize,
        code: ItemId,
        items: &AttributeItems,
        file: &ClassFile,
        body: &Code,
    ) -> Done {
        const WHAT: &str = "the local variables";
        for (position, attribute) in body.attributes.iter().enumerate() {
            let item = items.get(position).copied().flatten().unwrap_or(code);
            if file.is_named(attribute, "LocalVariableTable")
                || file.is_named(attribute, "LocalVariableTypeTable")
            {
                let types = Input::new(&attribute.bytes).list(WHAT, |input| {
                    input.take(6, WHAT)?;
                    let descriptor = input.u2(WHAT)?;
                    input.take(2, WHAT)?;
                    file.pool.text(descriptor)
                })?;
                let generic = file.is_named(attribute, "LocalVariableTypeTable");
                for text in types {
                    if generic {
                        self.need_generic(class, item, &text);
                        self.need_parameters(class, item);
                    } else {
                        self.need_types(class, item, &text, Why::Names);
                    }
                }
            }
        }
        self.need_attributes(class, code, items, &body.attributes)
    }

    /// A `throws` clause stays with the body, and with the clauses of what overrides the method.
    pub(crate) fn need_throws(&mut self, class: usize, outline: &Outline, method: &MethodItems) {
        let Some(throws) = self.throws(class, &outline.name, &outline.descriptor) else {
            return;
        };
        if let Some(code) = method.code {
            self.need(code, throws, Why::Names);
        }
        for above in self.supertypes(class) {
            if let Some(above) = self.world.in_program(&above)
                && let Some(other) = self.throws(above, &outline.name, &outline.descriptor)
            {
                self.need(throws, other, Why::Names);
            }
        }
    }

    /// The item that is the `throws` clause of a method that a class declares.
    pub(crate) fn throws(&self, class: usize, name: &str, descriptor: &str) -> Option<ItemId> {
        let position = self.world.briefs[class].method(name, descriptor)?;
        let file = &self.files[class];
        let mut attributes = file.methods[position].attributes.iter();
        let at = attributes.position(|attribute| file.is_named(attribute, "Exceptions"))?;
        self.classes[class].methods[position].attributes.get(at).copied().flatten()
    }
}

/// The generic signature among these attributes, if there is one.
pub(crate) fn signature(file: &ClassFile, attributes: &[Attribute]) -> Result<Option<String>, BadClass> {
    file.find(attributes, "Signature").map(|attribute| signature_text(file, attribute)).transpose()
}

fn signature_text(file: &ClassFile, attribute: &Attribute) -> Result<String, BadClass> {
    let index = Input::new(&attribute.bytes).u2("a signature")?;
    file.pool.text(index)
}
