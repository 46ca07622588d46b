//! The stored schemas are those that `UPSTREAM` names, and the oracle is of their version.

use std::{collections::BTreeMap, fs, path::Path};

use sha2::{Digest, Sha256};

fn text(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap()
}

#[test]
fn checksums_are_those_of_upstream() {
    let upstream = text("schema/UPSTREAM");
    let sums: BTreeMap<_, _> =
        upstream.lines().filter_map(|line| line.split_once(" sha256 ")).collect();
    for version in ["v1", "v2"] {
        for kind in ["", ".unstable"] {
            let name = format!("{version}/schema{kind}.json");
            let digest = Sha256::digest(text(&format!("schema/{name}")));
            let sum: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(sums.get(&*name), Some(&&*sum), "schema/{name} was changed by hand");
        }
    }
}

#[test]
fn oracle_and_generator_have_the_version_of_upstream() {
    let upstream = text("schema/UPSTREAM");
    let Some(package) = upstream.lines().next().and_then(|line| line.strip_prefix("crate ")) else {
        return; // npm has no crate to compare with.
    };
    let (name, version) = package.split_once(' ').unwrap();
    for manifest in ["Cargo.toml", "schema/generator/Cargo.toml"] {
        let manifest_text = text(manifest);
        let line = manifest_text.lines().find(|line| line.starts_with(name)).unwrap();
        assert!(line.contains(&format!("\"={version}\"")), "{manifest}: {line}");
    }
}
