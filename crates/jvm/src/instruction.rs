//! Instructions: where one ends and the next begins.

use crate::error::BadClass;

/// One instruction inside the code of a method.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Instruction<'c> {
    /// Its offset in the code.
    pub(crate) at: usize,
    /// Its opcode; that of the instruction made wide, if it is.
    pub(crate) opcode: u8,
    /// What follows the opcode; padding of switches left out.
    pub(crate) operands: &'c [u8],
    /// Whether it is made wide: local numbers take two bytes.
    pub(crate) wide: bool,
    /// Offset of the instruction that follows.
    pub(crate) next: usize,
}

impl Instruction<'_> {
    pub(crate) fn u1(&self, at: usize) -> u8 {
        self.operands[at]
    }

    pub(crate) fn u2(&self, at: usize) -> u16 {
        u16::from_be_bytes([self.operands[at], self.operands[at + 1]])
    }

    fn i4(&self, at: usize) -> i32 {
        let bytes = &self.operands[at..at + 4];
        i32::from_be_bytes(bytes.try_into().expect("four bytes"))
    }

    /// The number of the local variable, for instructions that have it as operand.
    pub(crate) fn local(&self) -> usize {
        if self.wide { self.u2(0).into() } else { self.u1(0).into() }
    }

    /// Where it may jump to, offsets in the code; not where it falls through to.
    pub(crate) fn targets(&self) -> Result<Vec<usize>, BadClass> {
        let to = |distance: i64| {
            usize::try_from(self.at as i64 + distance)
                .map_err(|_| BadClass::Code { at: self.at, why: "it jumps before the start" })
        };
        let four = |at: usize| to(i64::from(self.i4(at)));
        match self.opcode {
            153..=168 | 198 | 199 => {
                Ok(vec![to(i64::from(i16::from_be_bytes([self.operands[0], self.operands[1]])))?])
            }
            200 | 201 => Ok(vec![four(0)?]),
            170 => std::iter::once(0).chain((12..self.operands.len()).step_by(4)).map(four).collect(),
            171 => std::iter::once(0).chain((12..self.operands.len()).step_by(8)).map(four).collect(),
            _ => Ok(Vec::new()),
        }
    }

    /// Whether the instruction after it is reached only by jumps.
    pub(crate) fn ends_path(&self) -> bool {
        matches!(self.opcode, 167 | 169..=177 | 191 | 200)
    }
}

/// All instructions of `code`, in order.
pub(crate) fn instructions(code: &[u8]) -> impl Iterator<Item = Result<Instruction<'_>, BadClass>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        if at >= code.len() {
            return None;
        }
        let decoded = decode(code, at);
        at = decoded.as_ref().map_or(code.len(), |instruction| instruction.next);
        Some(decoded)
    })
}

fn decode(code: &[u8], at: usize) -> Result<Instruction<'_>, BadClass> {
    let bad = |why| BadClass::Code { at, why };
    let byte = |offset: usize| code.get(offset).copied().ok_or_else(|| bad("the code ends inside it"));
    let opcode = code[at];
    let (opcode, wide, start, length) = match opcode {
        196 => {
            let widened = byte(at + 1)?;
            let length = match widened {
                132 => 4,
                21..=25 | 54..=58 | 169 => 2,
                _ => return Err(bad("this opcode cannot be wide")),
            };
            (widened, true, at + 2, length)
        }
        170 | 171 => {
            let start = (at & !3) + 4;
            (
                opcode,
                false,
                start,
                switch_length(code, start, opcode).ok_or_else(|| bad("the switch is damaged"))?,
            )
        }
        _ => {
            let length = match opcode {
                0..=15 | 26..=53 | 59..=131 | 133..=152 | 172..=177 | 190 | 191 | 194 | 195 => 0,
                16 | 18 | 21..=25 | 54..=58 | 169 | 188 => 1,
                17 | 19 | 20 | 132 | 153..=168 | 178..=184 | 187 | 189 | 192 | 193 | 198 | 199 => 2,
                197 => 3,
                185 | 186 | 200 | 201 => 4,
                _ => return Err(bad("the opcode is unknown")),
            };
            (opcode, false, at + 1, length)
        }
    };
    let next = start + length;
    let operands = code.get(start..next).ok_or_else(|| bad("the code ends inside it"))?;
    Ok(Instruction { at, opcode, operands, wide, next })
}

fn switch_length(code: &[u8], start: usize, opcode: u8) -> Option<usize> {
    let four = |at: usize| {
        let bytes = code.get(start + at..start + at + 4)?;
        Some(i64::from(i32::from_be_bytes(bytes.try_into().ok()?)))
    };
    let cases = if opcode == 170 {
        let count = four(8)? - four(4)? + 1;
        usize::try_from(count).ok()?.checked_mul(4)?.checked_add(12)?
    } else {
        usize::try_from(four(4)?).ok()?.checked_mul(8)?.checked_add(8)?
    };
    (cases <= code.len()).then_some(cases)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn switches_are_cut_at_their_padding_and_know_their_targets() {
        // nop; lookupswitch default +20, {1: +12}; return
        let code = [0, 171, 0, 0, 0, 0, 0, 20, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 12, 177];
        let all: Vec<_> = instructions(&code).map(|i| i.expect("good code")).collect();
        assert_eq!(all.iter().map(|i| i.at).collect::<Vec<_>>(), [0, 1, 20]);
        assert_eq!(all[1].targets(), Ok(vec![21, 13]));
    }

    #[test]
    fn damaged_code_is_an_error_and_no_panic() {
        for code in [
            &[18][..],
            &[196],
            &[196, 0],
            &[170, 0, 0, 0],
            &[203],
            &[170, 0, 0, 0, 0, 0, 0, 0, 0x80, 0, 0, 0, 0x7F, 0xFF, 0xFF, 0xFF],
        ] {
            assert!(instructions(code).any(|i| i.is_err()), "{code:?}");
        }
    }
}
