//! The canonical result: of variants of one size the most natural one ([`dwindle_core::Naturalness`]).
//!
//! Each token class has its own way to become plainer. Everything is tried under [`Asker::natural`], which lets nothing
//! through that is not more natural than the best: no way can undo another, and the result is never larger.

mod characters;
mod names;
mod operators;

use dwindle_core::Stop;
use dwindle_delta::ListMinimizer;

use super::literals::literals;
use super::numbers::Numbers;
use crate::asker::Asker;
use crate::source::Source;

pub(super) fn run(source: &Source, asker: &mut Asker<'_, '_>, list: &dyn ListMinimizer) -> Result<(), Stop> {
    let mut asker = asker.natural();
    let mut tokens = source.tree().tokens().to_vec();
    let places = literals(source, 1);
    let numbers = Numbers::among(source, list, &places);
    numbers.plain(&mut asker, &mut tokens)?;
    numbers.decimal(&mut asker, &mut tokens)?;
    numbers.smaller(&mut asker, &mut tokens)?;
    characters::run(source, &mut asker, list, &mut tokens, &places)?;
    operators::run(source, &mut asker, list, &mut tokens)?;
    names::run(source, &mut asker, list, &mut tokens)
}
