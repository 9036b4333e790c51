// Judges JavaScript by Node's own parser: a path a line, 0 if it compiles as a CommonJS module.
const { readFileSync } = require("node:fs");
const { compileFunction } = require("node:vm");
const lines = require("node:readline").createInterface({ input: process.stdin });
lines.on("line", (path) => {
  let verdict = 0;
  try {
    const text = readFileSync(path, "utf8").replace(/^#!.*/, "");
    compileFunction(text, ["exports", "require", "module", "__filename", "__dirname"]);
  } catch {
    verdict = 1;
  }
  process.stdout.write(verdict + "\n");
});
