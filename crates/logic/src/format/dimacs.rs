//! The model as clauses in DIMACS CNF, with names in comments.
//!
//! ```text
//! c 1 libc6            variable 1 is the item libc6 (or, if there is no such item, is not there)
//! p cnf 3 2            three variables, two clauses
//! -1 2 0               libc6 needs variable 2
//! -2 3 0               a variable without a name is auxiliary
//! ```

use std::collections::HashMap;
use std::fmt::Write;

use super::{FormatError, ModelError, ReadModel};
use crate::clause::Clause;
use crate::formula::Var;
use crate::item::{ItemId, Items};
use crate::model::{Model, ModelBuilder, Origin};
use crate::solve::Solver;

/// Reads clauses. A comment `c N NAME` names variable N; without any such comment variable N is the N-th item. Variables
/// that are named but no items are false; those without a name (or beyond the items) are auxiliary.
///
/// # Errors
/// If the text is not in this format, or the full set of items breaks a clause.
pub fn read_dimacs(items: Items, text: &str) -> Result<ReadModel, ModelError> {
    let file = File::read(text)?;
    let meaning = file.meaning(&items);
    let absent = meaning.iter().filter(|meaning| **meaning == Meaning::Absent).count();
    let values = file.auxiliary_values(&meaning);
    let mut builder = ModelBuilder::new(items);
    let vars: Vec<Option<Var>> = meaning
        .iter()
        .zip(values)
        .map(|(meaning, value)| match meaning {
            Meaning::Item(item) => Some(Var::from(*item)),
            Meaning::Auxiliary if value => Some(builder.auxiliary()),
            Meaning::Auxiliary | Meaning::Absent => None,
        })
        .collect();
    for (line, literals) in &file.clauses {
        let signed = |positive: bool| {
            literals
                .iter()
                .filter(move |literal| (**literal > 0) == positive)
                .map(|literal| vars[index(*literal)])
        };
        // A need that is false makes the clause hold; a give that is false offers nothing.
        if signed(false).all(|need| need.is_some()) {
            builder.clause(Clause::new(signed(false).flatten(), signed(true).flatten()), Origin::Line(*line));
        }
    }
    Ok(ReadModel::new(builder.finish()?, absent))
}

/// Writes a model so that [`read_dimacs`] gives the same one back.
#[must_use]
pub fn write_dimacs(model: &Model) -> String {
    let mut text = String::new();
    for (id, item) in model.items().iter() {
        writeln!(text, "c {} {}", id.index() + 1, item.name).expect("writing to a string works");
    }
    writeln!(text, "p cnf {} {}", model.vars(), model.clauses().len()).expect("writing to a string works");
    for clause in model.clauses() {
        for need in clause.needs() {
            write!(text, "-{} ", need.index() + 1).expect("writing to a string works");
        }
        for give in clause.gives() {
            write!(text, "{} ", give.index() + 1).expect("writing to a string works");
        }
        text.push_str("0\n");
    }
    text
}

fn index(literal: i64) -> usize {
    usize::try_from(literal.unsigned_abs()).expect("literals were checked against the header") - 1
}

/// What a variable of the file stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meaning {
    Item(ItemId),
    Absent,
    Auxiliary,
}

/// The file as it stands.
struct File<'t> {
    vars: usize,
    names: HashMap<usize, &'t str>,
    clauses: Vec<(u32, Vec<i64>)>,
}

impl<'t> File<'t> {
    fn read(text: &'t str) -> Result<Self, FormatError> {
        let mut names: HashMap<usize, (&str, u32)> = HashMap::new();
        let mut header: Option<(usize, usize)> = None;
        let mut clauses = Vec::new();
        let mut open: Vec<i64> = Vec::new();
        let mut opened = 0;
        for (line, content) in (1u32..).zip(text.lines()) {
            let place = || format!("line {line}");
            let content = content.trim();
            if content.starts_with('%') {
                break;
            }
            if content.is_empty() || content == "c" {
                continue;
            }
            if let Some(comment) = content.strip_prefix("c ") {
                read_name(comment, line, &mut names)?;
                continue;
            }
            if let Some(rest) = content.strip_prefix('p') {
                header = Some(read_header(rest, header.is_some(), &place())?);
                continue;
            }
            let Some((vars, _)) = header else {
                let help = "the first line that is no comment is `p cnf VARIABLES CLAUSES`";
                return Err(FormatError::new(place(), "a clause stands before the `p cnf` line", help));
            };
            for word in content.split_whitespace() {
                let literal = read_literal(word, vars, &place())?;
                if open.is_empty() {
                    opened = line;
                }
                match literal {
                    0 => clauses.push((opened, std::mem::take(&mut open))),
                    literal => open.push(literal),
                }
            }
        }
        if !open.is_empty() {
            let help = "end every clause with 0; is the file cut off?";
            return Err(FormatError::new(format!("line {opened}"), "the last clause has no end", help));
        }
        let Some((vars, count)) = header else {
            let help = "clause files start with `p cnf VARIABLES CLAUSES`; JSON rules start with { or [";
            return Err(FormatError::new("model file", "there is no `p cnf` line", help));
        };
        if clauses.len() != count {
            let problem =
                format!("the `p cnf` line promises {count} clauses, the file has {}", clauses.len());
            return Err(FormatError::new(
                "model file",
                problem,
                "correct the number, or look whether the file is whole",
            ));
        }
        // The smallest, so that the message does not depend on the order of a map.
        let too_large = names.iter().filter(|(var, _)| **var > vars);
        if let Some((var, (name, line))) = too_large.min() {
            let problem = format!("`{name}` names variable {var}, but there are only {vars}");
            let help = "correct the number; comments that start with a number are names here";
            return Err(FormatError::new(format!("line {line}"), problem, help));
        }
        let names = names.into_iter().map(|(var, (name, _))| (var, name)).collect();
        Ok(File { vars, names, clauses })
    }

    fn meaning(&self, items: &Items) -> Vec<Meaning> {
        let of = |var: usize| match self.names.get(&var) {
            Some(name) => items.find(name).map_or(Meaning::Absent, Meaning::Item),
            None if self.names.is_empty() && var <= items.len() => Meaning::Item(ItemId::new(var - 1)),
            None => Meaning::Auxiliary,
        };
        (1..=self.vars).map(of).collect()
    }

    /// The auxiliary variables that are true in some solution that keeps all items. Those that are not stay false for
    /// good, which only leaves out solutions; without that, definitions of both directions would break the start.
    fn auxiliary_values(&self, meaning: &[Meaning]) -> Vec<bool> {
        let all_true = |literal: &i64| (*literal > 0) && meaning[index(*literal)] != Meaning::Absent;
        let absent = |literal: &i64| (*literal < 0) && meaning[index(*literal)] == Meaning::Absent;
        let fine = self.clauses.iter().all(|(_, literals)| literals.iter().any(|l| all_true(l) || absent(l)));
        if fine || !meaning.contains(&Meaning::Auxiliary) {
            return vec![true; self.vars];
        }
        let side = |literals: &[i64], positive: bool| -> Vec<Var> {
            literals
                .iter()
                .filter(|literal| (**literal > 0) == positive)
                .map(|l| Var::new(index(*l)))
                .collect()
        };
        let clauses: Vec<(Vec<Var>, Vec<Var>)> =
            self.clauses.iter().map(|(_, literals)| (side(literals, false), side(literals, true))).collect();
        let mut solver =
            Solver::new(self.vars, clauses.iter().map(|(needs, gives)| (&needs[..], &gives[..])));
        let fixed = meaning.iter().enumerate().all(|(var, meaning)| match meaning {
            Meaning::Auxiliary => true,
            Meaning::Item(_) => solver.fix(Var::new(var), true),
            Meaning::Absent => solver.fix(Var::new(var), false),
        });
        // A million dead ends is a few seconds; a model as hard as that is better given with its auxiliary values.
        if fixed && solver.solve(None, 1_000_000) == Some(true) {
            return (0..self.vars).map(|var| solver.value(Var::new(var)) != Some(false)).collect();
        }
        vec![true; self.vars]
    }
}

fn read_name<'t>(
    comment: &'t str,
    line: u32,
    names: &mut HashMap<usize, (&'t str, u32)>,
) -> Result<(), FormatError> {
    let Some((number, name)) = comment.trim().split_once(char::is_whitespace) else {
        return Ok(());
    };
    let Ok(var) = number.parse::<usize>() else {
        return Ok(());
    };
    if var == 0 {
        return Ok(());
    }
    let name = name.trim();
    match names.insert(var, (name, line)) {
        Some((other, first)) if other != name => Err(FormatError::new(
            format!("line {line}"),
            format!("variable {var} is named `{name}` here and `{other}` in line {first}"),
            "give it one name; comments that start with a number are names here",
        )),
        _ => Ok(()),
    }
}

fn read_header(rest: &str, again: bool, place: &str) -> Result<(usize, usize), FormatError> {
    let help = "write `p cnf VARIABLES CLAUSES`, once";
    if again {
        return Err(FormatError::new(place, "there is a second `p` line", help));
    }
    let words: Vec<&str> = rest.split_whitespace().collect();
    match words[..] {
        ["cnf", vars, clauses] => match (vars.parse(), clauses.parse()) {
            (Ok(vars), Ok(clauses)) if vars < i32::MAX as usize => Ok((vars, clauses)),
            _ => Err(FormatError::new(place, format!("`{vars} {clauses}` are not two counts"), help)),
        },
        _ => Err(FormatError::new(place, format!("`p{rest}` is not a header for clauses"), help)),
    }
}

fn read_literal(word: &str, vars: usize, place: &str) -> Result<i64, FormatError> {
    let help = "a clause is a row of variable numbers, negative ones with a minus, ended by 0";
    let literal: i64 =
        word.parse().map_err(|_| FormatError::new(place, format!("`{word}` is not a number"), help))?;
    if literal.unsigned_abs() > vars as u64 {
        let problem = format!("variable {} is above the {vars} of the `p cnf` line", literal.unsigned_abs());
        return Err(FormatError::new(place, problem, "correct the header or the clause"));
    }
    Ok(literal)
}
