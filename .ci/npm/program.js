// The native program that npm has installed for this platform.
"use strict";

const platform = `${process.platform}-${process.arch}`;
const name = `acpcheck-${platform}`;

/** The path of the native program, or nothing where it is not installed. */
function find() {
  const file = process.platform === "win32" ? "acpcheck.exe" : "acpcheck";
  try {
    return require.resolve(`${name}/${file}`);
  } catch {
    return undefined;
  }
}

const missing =
  `the package \`${name}\` is not installed. npm installs it together with \`acpcheck\`, unless ` +
  "told to omit optional packages or given a lock file of another platform. " +
  "Without such a package for this platform, `cargo install acpcheck` builds the program.";

module.exports = { find, missing };
