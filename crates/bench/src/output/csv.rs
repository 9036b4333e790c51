//! All runs, one a line.

use std::fmt::Write;

use crate::contest::{Ending, Row};

const HEAD: &str = "case,language,contestant,repeat,ending,input_bytes,input_tokens,bytes,tokens,queries,seconds,load,cores,detail\n";

pub(super) fn table(rows: &[Row]) -> String {
    let mut out = HEAD.to_owned();
    for row in rows {
        for (repeat, trial) in row.trials.iter().enumerate() {
            let detail = match &trial.ending {
                Ending::Failed(why) => field(why),
                _ => String::new(),
            };
            writeln!(
                out,
                "{},{},{},{},{},{},{},{},{},{},{:.3},{:.2},{},{detail}",
                field(&row.case),
                field(&row.language),
                field(&row.contestant),
                repeat + 1,
                trial.ending.word(),
                row.input_bytes,
                row.input_tokens,
                trial.bytes,
                trial.tokens,
                trial.queries,
                trial.seconds,
                trial.load.load,
                trial.load.cores,
            )
            .expect("strings take all");
        }
    }
    out
}

/// A field, quoted where it has to be.
pub(crate) fn field(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\"").replace(['\n', '\r'], " "))
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_for_each_run_with_quotes_where_needed() {
        let text = table(&super::super::samples::rows());
        assert_eq!(text.lines().count(), 7);
        assert!(text.lines().nth(1).unwrap().starts_with("one,C,dwindle,1,done,1000,400,30,10,100,1.500,"));
        assert!(text.lines().last().unwrap().ends_with(",\"a, \"\"b\"\" <c>\""), "{text}");
    }
}
