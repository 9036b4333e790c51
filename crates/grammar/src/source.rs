//! A grammar as its author wrote it: tree-sitter's rule language, before any reading between the lines.

/// One node of a rule, with tree-sitter's meaning. Precedences, fields and reserved words are already dropped:
/// they steer the parser, and we only look at what it has parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// Matches nothing.
    Blank,
    /// A literal text.
    Literal(String),
    /// A regular expression.
    Pattern(String),
    /// A reference to a rule or to an external token.
    Name(String),
    /// All members, in order.
    Seq(Vec<Source>),
    /// One member.
    Choice(Vec<Source>),
    /// The content, any number of times but at least `min`.
    Repeat {
        /// What is repeated.
        content: Box<Source>,
        /// Zero or one.
        min: u32,
    },
    /// The content, shown in the tree under another name.
    Alias {
        /// What is renamed.
        content: Box<Source>,
        /// The name shown.
        value: String,
        /// Whether the shown node is a named one.
        named: bool,
    },
    /// The content is one token.
    Token {
        /// What the token consists of.
        content: Box<Source>,
        /// No white space may stand before it.
        immediate: bool,
    },
}

impl Source {
    /// The text, if this is one literal and nothing else.
    pub(crate) fn as_literal(&self) -> Option<&str> {
        match self {
            Source::Literal(text) => Some(text),
            Source::Token { content, .. } => content.as_literal(),
            _ => None,
        }
    }

    /// Whether the whole thing is one token of the lexer.
    pub(crate) fn is_token(&self) -> bool {
        matches!(self, Source::Literal(_) | Source::Pattern(_) | Source::Token { .. })
    }
}

/// A whole grammar in that form.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SourceGrammar {
    /// The grammar's own name.
    pub name: String,
    /// Rules by name.
    pub rules: Vec<(String, Source)>,
    /// What may stand between any two tokens: white space and comments.
    pub extras: Vec<Source>,
    /// Tokens made by hand-written scanner code.
    pub externals: Vec<Source>,
    /// Rules replaced by their bodies.
    pub inline: Vec<String>,
    /// Rules that never show as nodes although their names look visible.
    pub supertypes: Vec<String>,
}
