//! Which program formats which language, as people who write it expect it to look. Data only.
//!
//! `{}` stands for the path of a copy of the file; without it the program reads standard input. What it prints is the
//! formatted text, or, if it prints nothing, what it made of the copy. The first one that is installed is taken.

/// Languages, and the commands that format them.
pub(super) const FORMATTERS: &[(&[&str], &[&str])] = &[
    (&["c", "cpp", "cuda", "objc", "proto", "glsl", "hlsl"], &["clang-format {}"]),
    (&["java"], &["google-java-format {}", "clang-format {}"]),
    (&["csharp"], &["clang-format {}"]),
    (&["rust"], &["rustfmt --edition 2024"]),
    (&["go"], &["gofmt"]),
    (&["python"], &["black -q -", "ruff format -", "yapf"]),
    (
        &["javascript", "typescript", "tsx", "css", "html", "vue", "svelte", "markdown", "yaml", "graphql"],
        &["prettier --stdin-filepath {}"],
    ),
    (&["json"], &["prettier --stdin-filepath {}", "jq .", "python3 -m json.tool"]),
    (&["xml"], &["xmllint --format -"]),
    (&["toml"], &["taplo fmt -"]),
    (&["bash", "zsh"], &["shfmt"]),
    (&["lua", "luau"], &["stylua -"]),
    (&["zig"], &["zig fmt --stdin"]),
    (&["haskell"], &["ormolu --stdin-input-file {}", "fourmolu --stdin-input-file {}"]),
    (&["ocaml", "ocaml_interface"], &["ocamlformat --enable-outside-detected-project {}"]),
    (&["elm"], &["elm-format --stdin"]),
    (&["elixir"], &["mix format -"]),
    (&["erlang"], &["erlfmt -"]),
    (&["gleam"], &["gleam format --stdin"]),
    (&["dart"], &["dart format --output=show --show=none {}"]),
    (&["kotlin"], &["ktfmt -", "ktlint --stdin --format --log-level=none"]),
    (&["swift"], &["swift-format format", "swiftformat stdin"]),
    (&["scala"], &["scalafmt --stdin --non-interactive"]),
    (&["clojure"], &["cljfmt fix -", "zprint"]),
    (&["perl"], &["perltidy -st -se"]),
    (&["nix"], &["nixfmt"]),
    (&["hcl"], &["terraform fmt -", "tofu fmt -"]),
    (&["starlark"], &["buildifier"]),
    (&["cmake"], &["cmake-format -", "gersemi -"]),
    (&["dockerfile"], &["dockerfmt"]),
    (&["sql"], &["pg_format -", "sqlformat -"]),
    (&["solidity"], &["forge fmt --raw -"]),
    (&["fortran"], &["fprettify -"]),
    (&["d"], &["dfmt"]),
    (&["dot"], &["nop"]),
    (&["verilog", "systemverilog"], &["verible-verilog-format -"]),
    (&["typst"], &["typstyle"]),
];

#[cfg(test)]
mod tests {
    use super::*;
    use dwindle::syntax::{absent_languages, language};

    #[test]
    fn every_language_of_the_table_is_one_and_has_its_commands_in_one_place() {
        let mut seen = std::collections::HashSet::new();
        for (languages, commands) in FORMATTERS {
            assert!(!commands.is_empty());
            for name in *languages {
                assert!(seen.insert(name), "{name} is there twice");
                let known = language(name).is_some_and(|language| language.name() == *name);
                assert!(known || absent_languages().iter().any(|absent| absent.name == *name), "{name}");
            }
        }
    }
}
