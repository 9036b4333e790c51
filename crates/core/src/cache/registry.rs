//! The schemes by name, as on the command line.

use super::{
    ConfigCache, ContentCache, DeflateKeys, Filtered, Forget, HashCache, IntervalCache, NoCache,
    RefreshedTokens, Sha3Keys, Sha512Keys, Supplemented, TextCache, VerdictCache,
};

/// A scheme that can be chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheScheme {
    /// Its name.
    pub name: &'static str,
    /// What it is, in a line.
    pub about: &'static str,
}

/// All schemes, the default first.
pub const SCHEMES: &[CacheScheme] = &[
    scheme(
        "hash",
        "122-bit fingerprint and length, never renders; drops what is longer than the best (default)",
    ),
    scheme("none", "remembers nothing"),
    scheme("str", "the text itself"),
    scheme("zip", "the text, compressed with DEFLATE at its best level"),
    scheme("sha", "the SHA-512 digest of the text"),
    scheme("rcc", "runs kept of the best, renumbered with each new best; drops what is not part of it"),
    scheme("rcc-size", "runs kept of the input; drops what has as many tokens as the best, or more"),
    scheme("cc", "runs kept of the input; drops nothing"),
    scheme("rstr", "token sequences; drops what is not part of the best"),
    scheme("config", "token sequences in a trie; drops nothing"),
    scheme("p1", "the text itself, of boring candidates only"),
    scheme("p2", "as p1, and drops what is longer than the best"),
    scheme("p3", "as p2, with the SHA3-256 digest and the length in place of the text"),
];

const fn scheme(name: &'static str, about: &'static str) -> CacheScheme {
    CacheScheme { name, about }
}

/// What can be set beside the scheme.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheOptions {
    /// Remember boring verdicts only. `p1`, `p2` and `p3` always do.
    pub boring_only: bool,
    /// `str` and `p1`: drop texts longer than an accepted best. `p2`, `p3` and `hash` always do.
    pub evict_longer: bool,
    /// Remember time-outs and crashes of the test as well, for as long as the run lasts.
    pub unresolved: bool,
    /// `rcc`: renumber only when the best has lost this share of the input's tokens since the last time, in percent.
    pub rebase_percent: u8,
    /// Remember by its fingerprint what the scheme has no room for although it may be asked for again: what is not part
    /// of its base, and for `p1`, `p2` and `p3` what is interesting. Without it schemes do as published, which is the
    /// same where passes only delete and take the first interesting candidate.
    pub supplement: bool,
}

impl Default for CacheOptions {
    fn default() -> Self {
        CacheOptions {
            boring_only: false,
            evict_longer: false,
            unresolved: true,
            rebase_percent: 0,
            supplement: false,
        }
    }
}

/// The cache of that name, empty; nothing if there is none of that name.
#[must_use]
pub fn by_name(name: &str, options: &CacheOptions) -> Option<Box<dyn VerdictCache>> {
    let intervals = |forget| {
        if options.supplement { IntervalCache::of_words(forget) } else { IntervalCache::new(forget) }
    };
    let mut cache: Box<dyn VerdictCache> = match name {
        "hash" => Box::new(HashCache::default()),
        "none" => Box::new(NoCache),
        "str" | "p1" => Box::new(TextCache::new(options.evict_longer)),
        "p2" => Box::new(TextCache::new(true)),
        "p3" => Box::new(ContentCache::new(Sha3Keys)),
        "zip" => Box::new(ContentCache::new(DeflateKeys::default())),
        "sha" => Box::new(ContentCache::new(Sha512Keys)),
        "rcc" => Box::new(intervals(Forget::Unreachable { percent: options.rebase_percent })),
        "rcc-size" => Box::new(intervals(Forget::Larger)),
        "cc" => Box::new(intervals(Forget::Nothing)),
        "rstr" if options.supplement => Box::new(RefreshedTokens::of_words()),
        "rstr" => Box::new(RefreshedTokens::default()),
        "config" if options.supplement => Box::new(ConfigCache::of_words()),
        "config" => Box::new(ConfigCache::default()),
        _ => return None,
    };
    let boring_only = options.boring_only || matches!(name, "p1" | "p2" | "p3");
    if boring_only {
        cache = Box::new(Filtered::new(cache, true, true));
    }
    if options.supplement && (boring_only || matches!(name, "rcc" | "rcc-size" | "cc" | "rstr")) {
        cache = Box::new(Supplemented::new(cache));
    }
    if !options.unresolved {
        cache = Box::new(Filtered::new(cache, false, false));
    }
    Some(cache)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_listed_name_and_no_other_gives_a_cache() {
        for scheme in SCHEMES {
            assert!(by_name(scheme.name, &CacheOptions::default()).is_some(), "{}", scheme.name);
        }
        assert!(by_name("lru", &CacheOptions::default()).is_none());
    }
}
