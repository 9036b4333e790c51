//! Leaves unused constants out of a class.

use crate::class::ClassFile;
use crate::pool::Constant;
use crate::walk::map_indices;

impl ClassFile {
    /// Drops the constants that nothing uses; the others keep their order. Whether that could be done: with an
    /// attribute that only its own tool understands nobody knows what is used, and the class stays as it is.
    pub fn drop_unused_constants(&mut self) -> bool {
        let pool = self.pool.clone();
        let mut used = vec![false; pool.len()];
        let mut open = Vec::new();
        let mut note = |index: u16| {
            open.push(index);
            index
        };
        // Names of attributes are looked up in the pool as it was.
        if map_indices(&mut self.clone(), &pool, &mut note).is_err() {
            return false;
        }
        while let Some(index) = open.pop() {
            let Some(mark) = used.get_mut(usize::from(index)) else {
                return false;
            };
            if !std::mem::replace(mark, true)
                && let Some(constant) = pool.get(index)
            {
                constant.clone().map_indices(&mut |inner| {
                    open.push(inner);
                    inner
                });
            }
        }
        let mut numbers = vec![0u16; pool.len()];
        let mut left = vec![Constant::Nothing];
        for (index, constant) in pool.iter().skip(1) {
            if used[usize::from(index)] && *constant != Constant::Nothing {
                numbers[usize::from(index)] = u16::try_from(left.len()).expect("fewer constants than before");
                left.push(constant.clone());
                if matches!(constant, Constant::Long(_) | Constant::Double(_)) {
                    left.push(Constant::Nothing);
                }
            }
        }
        let mut renumber = |index: u16| numbers[usize::from(index)];
        for constant in &mut left {
            constant.map_indices(&mut renumber);
        }
        let mut smaller = self.clone();
        // Order is kept, so indices that were one byte stay one byte.
        if map_indices(&mut smaller, &pool, &mut renumber).is_err() {
            return false;
        }
        *smaller.pool.list_mut() = left;
        *self = smaller;
        true
    }

    /// The same, leaving attributes of members and of the class out that only their own tool understands, as every
    /// virtual machine does. Whether it could be done: such attributes inside of code stand in the way.
    pub fn drop_unknown_and_unused(&mut self) -> bool {
        let pool = self.pool.clone();
        let members = self.fields.iter_mut().chain(&mut self.methods);
        let lists = members.map(|member| &mut member.attributes);
        for list in lists.chain([&mut self.attributes]) {
            list.retain(|attribute| {
                pool.text(attribute.name).is_ok_and(|name| KNOWN.contains(&name.as_str()))
            });
        }
        self.drop_unused_constants()
    }
}

/// The attributes of classes, fields and methods that the virtual machine specification knows.
const KNOWN: [&str; 31] = [
    "AnnotationDefault",
    "BootstrapMethods",
    "Code",
    "ConstantValue",
    "Deprecated",
    "EnclosingMethod",
    "Exceptions",
    "InnerClasses",
    "MethodParameters",
    "Module",
    "ModuleHashes",
    "ModuleMainClass",
    "ModulePackages",
    "ModuleResolution",
    "ModuleTarget",
    "NestHost",
    "NestMembers",
    "PermittedSubclasses",
    "Record",
    "RuntimeInvisibleAnnotations",
    "RuntimeInvisibleParameterAnnotations",
    "RuntimeInvisibleTypeAnnotations",
    "RuntimeVisibleAnnotations",
    "RuntimeVisibleParameterAnnotations",
    "RuntimeVisibleTypeAnnotations",
    "Signature",
    "SourceDebugExtension",
    "SourceFile",
    "StackMapTable",
    "Synthetic",
    "LineNumberTable",
];
