//! `acpcheck.toml`: what it changes, what outweighs it, and what is said about mistakes in it.

use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

use acpcheck::{
    rules::{ALIASES, CATALOGUE},
    transcript::FORMATS,
};
use tempfile::TempDir;

use super::{
    run::{Run, folder, run, title},
    support::OPENING,
};

/// One fault of each of two rules: `schema/params` and `session/unknown-id`.
fn faulty() -> String {
    // The registry wants an agent to which users can log in.
    let login = r#""authMethods":[{"id":"a","name":"A"}]"#;
    let opening = OPENING.replace(r#""authMethods":[]"#, login);
    opening + &title("s", "7") + &title("other", "\"Tidy\"")
}

/// A folder with `faulty.ndjson`, the same in `old/`, and this configuration.
fn project(config: &str) -> TempDir {
    let faulty = &*faulty();
    folder(&[("faulty.ndjson", faulty), ("old/faulty.ndjson", faulty), ("acpcheck.toml", config)])
}

fn acpcheck(folder: &Path, arguments: &[&str]) -> Run {
    run(folder, arguments, b"")
}

/// What is reported: `severity[rule]` of each finding, with its folder if it has one.
fn reported(folder: &Path, arguments: &[&str]) -> Vec<String> {
    let run = acpcheck(folder, &[&["check", "--format=concise", "-q"], arguments].concat());
    assert_eq!(run.stderr, "");
    let finding = |line: &str| {
        let (place, rest) = line.split_once(": ").unwrap();
        let folder =
            place.split_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
        folder + rest.split_once(' ').unwrap().0
    };
    run.stdout.lines().map(finding).collect()
}

/// What is reported of `faulty.ndjson`.
fn here(config: &str, arguments: &[&str]) -> Vec<String> {
    reported(project(config).path(), &[arguments, &["faulty.ndjson"]].concat())
}

const BOTH: [&str; 2] = ["error[schema/params]", "error[session/unknown-id]"];

#[test]
fn rules_are_set() {
    assert_eq!(here("", &[]), BOTH);
    let softer = ["info[schema/params]", "warning[session/unknown-id]"];
    assert_eq!(
        here("severity.schema = 'info'\nseverity.\"session/unknown-id\" = 'warning'", &[]),
        softer
    );
    assert_eq!(here("[severity]\nall = 'error'\nschema = 'info'\nsession='warning'", &[]), softer);
    assert_eq!(here("select = ['session']", &[]), BOTH[1..]);
    let ignored = "[[ignore]]\nrules = ['session', 'plan']\nreason = 'to be fixed'\n";
    assert_eq!(here(ignored, &[]), BOTH[..1]);
    let two = ignored.to_owned() + "[[ignore]]\nrules = ['schema/params']\nreason = 'so what'\n";
    assert_eq!(here(&two, &[]), [""; 0]);
}

#[test]
fn the_command_line_outweighs_it() {
    assert_eq!(here("severity.schema = 'info'", &["--severity=schema=error"]), BOTH);
    assert_eq!(here("select = ['session']", &["--select=schema"]), BOTH[..1]);
    let ignored = "[[ignore]]\nrules = ['schema/params']\nreason = 'known'\n";
    assert_eq!(here(ignored, &["--ignore=session"]), [""; 0]);
    assert_eq!(here(ignored, &["--select=schema,session"]), BOTH[1..]);
    assert_eq!(here(ignored, &["--select=schema/params"]), BOTH[..1]);
    assert_eq!(here(ignored, &["--isolated"]), BOTH);
    let everywhere = "[[override]]\npaths = ['**']\nseverity.all = 'info'\n";
    assert_eq!(here(everywhere, &[]), ["info[schema/params]", "info[session/unknown-id]"]);
    assert_eq!(here(everywhere, &["--severity=all=error"]), BOTH);
}

#[test]
fn it_is_found_upwards_and_paths_count_from_it() {
    let project = project("[[ignore]]\nrules = ['schema']\npaths = ['old']\nreason = 'old'\n");
    let path = project.path();
    let of_old = "old/error[session/unknown-id]";
    assert_eq!(
        reported(path, &["."]),
        [
            &["./error[schema/params]", "./error[session/unknown-id]"][..],
            &["./error[session/unknown-id]"]
        ]
        .concat()
    );
    assert_eq!(reported(path, &["old"]), [of_old]);
    assert_eq!(reported(&path.join("old"), &["faulty.ndjson"]), BOTH[1..]);
    let above = reported(&path.join("old"), &["../faulty.ndjson", "../old/faulty.ndjson"]);
    assert_eq!(
        above,
        ["../error[schema/params]", "../error[session/unknown-id]", "../error[session/unknown-id]"]
    );
    let whole = path.join("old/faulty.ndjson");
    assert_eq!(reported(path, &[whole.to_str().unwrap()]).len(), 1);
    // Another file, from elsewhere.
    let elsewhere = TempDir::new().unwrap();
    let config = path.join("acpcheck.toml");
    let config = ["--config", config.to_str().unwrap()];
    assert_eq!(
        reported(elsewhere.path(), &[config[0], config[1], whole.to_str().unwrap()]).len(),
        1
    );
    assert_eq!(reported(elsewhere.path(), &[whole.to_str().unwrap()]).len(), 2);
}

#[test]
fn standard_input_is_where_its_name_says() {
    let project = project("[[ignore]]\nrules = ['schema']\npaths = ['old']\nreason = 'old'\n");
    let count = |name: &str| {
        let input = fs::read(project.path().join("faulty.ndjson")).unwrap();
        let arguments = ["check", "--format=concise", "-q", "-", "--stdin-filename", name];
        run(project.path(), &arguments, &input).stdout.lines().count()
    };
    assert_eq!((count("old/piped.ndjson"), count("new/piped.ndjson")), (1, 2));
}

#[test]
fn overrides_hold_where_they_say() {
    let of =
        |condition: &str| here(&format!("[[override]]\n{condition}\nseverity.all = 'info'\n"), &[]);
    let soft = ["info[schema/params]", "info[session/unknown-id]"];
    assert_eq!(of("paths = ['*.ndjson']"), soft);
    assert_eq!(of("paths = ['old/**']"), BOTH);
    assert_eq!(of("agents = ['kettle']"), soft);
    assert_eq!(of("agents = ['k?ttle*']"), soft);
    assert_eq!(of("agents = ['teapot']"), BOTH);
    assert_eq!(of("agents = ['kettle']\npaths = ['old']"), BOTH);
    assert_eq!(of("methods = ['session/update']"), soft);
    assert_eq!(of("methods = ['session/new', 'fs/*']"), BOTH);
    let ignore = |condition: &str| {
        here(&format!("[[ignore]]\nrules = ['session']\nreason = 'why not'\n{condition}\n"), &[])
    };
    assert_eq!(ignore("agents = ['kettle']"), BOTH[..1]);
    assert_eq!(ignore("agents = ['teapot']"), BOTH);
    assert_eq!(ignore("methods = ['session/*']"), BOTH[..1]);
    // The last one counts.
    let two = "[[override]]\npaths=['**']\nseverity.all='info'\n[[override]]\nagents=['*']\nseverity.schema='warning'\n";
    assert_eq!(here(two, &[]), ["warning[schema/params]", "info[session/unknown-id]"]);
    let turned = "[[override]]\nagents=['*']\nseverity.schema='warning'\n[[override]]\npaths=['**']\nseverity.all='info'\n";
    assert_eq!(here(turned, &[]), soft);
}

#[test]
fn transcripts_are_judged_by_what_overrides_say() {
    let json = |config: &str, arguments: &[&str]| {
        let project = project(config);
        let all = [&["check", "--format=json", "faulty.ndjson", "old/faulty.ndjson"], arguments];
        let run = acpcheck(project.path(), &all.concat());
        let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        let of = |index: usize, member: &str| {
            report["files"][index][member].as_str().unwrap().to_owned()
        };
        [0, 1].map(|index| (of(index, "surface"), of(index, "edition")))
    };
    let pair = |surface: &str, edition: &str| (surface.to_owned(), edition.to_owned());
    let config = "surface = 'v1-unstable'\nedition = '2026-06'\n[[override]]\npaths = ['old']\nedition = '2026-05'\n";
    assert_eq!(json("", &[]), [pair("v1", "2026-11-20"), pair("v1", "2026-11-20")]);
    assert_eq!(json(config, &[]), [pair("v1-unstable", "2026-06"), pair("v1-unstable", "2026-05")]);
    let auto = json(config, &["--surface=auto", "--edition=current"]);
    assert_eq!(auto, [pair("v1", "2026-11-20"), pair("v1", "2026-11-20")]);
    let of_old = json(
        "[[override]]\npaths = ['old']\ninput-format = 'acp-tck'\nsurface = 'v2'",
        &["--isolated"],
    );
    assert_eq!(of_old, json("", &[]));
}

#[test]
fn what_is_left_open_depends_on_the_tail() {
    let project = project("[[override]]\npaths = ['old']\ntail = 'closed'\n");
    let open = OPENING.to_owned()
        + r#"{"jsonrpc":"2.0","id":2,"method":"session/list","params":{}}"#
        + "\n";
    fs::write(project.path().join("faulty.ndjson"), &open).unwrap();
    fs::write(project.path().join("old/faulty.ndjson"), &open).unwrap();
    let of = |arguments: &[&str]| {
        let arguments = [&["--select=jsonrpc", "faulty.ndjson", "old/faulty.ndjson"], arguments];
        reported(project.path(), &arguments.concat())
    };
    assert_eq!(of(&[]), ["old/warning[jsonrpc/unanswered-request]"]);
    assert_eq!(of(&["--tail=open"]), [""; 0]);
    assert_eq!(of(&["--tail=closed"]).len(), 2);
}

#[test]
fn what_fails_is_set() {
    let status = |config: &str, arguments: &[&str]| {
        let project = project(config);
        acpcheck(project.path(), &[&["check", "-q", "faulty.ndjson"], arguments].concat()).status
    };
    assert_eq!(status("fail-on = 'never'", &[]), 0);
    assert_eq!(status("fail-on = 'never'", &["--fail-on=error"]), 1);
    assert_eq!(status("severity.all = 'warning'", &[]), 0);
    assert_eq!(status("severity.all = 'warning'\nfail-on = 'warning'", &[]), 1);
    // Strictly, warnings count.
    assert_eq!(status("severity.all = 'warning'\nprofile = 'strict'", &[]), 1);
    assert_eq!(status("severity.all = 'warning'", &["--profile=strict"]), 1);
    assert_eq!(status("profile = 'strict'", &["--profile=default", "--severity=all=warning"]), 0);
    assert_eq!(status("severity.all = 'warning'\nprofile = 'strict'", &["--fail-on=error"]), 0);
}

#[test]
fn the_registry_has_its_own_measure() {
    let folder = TempDir::new().unwrap();
    let write = |text: String| fs::write(folder.path().join("a.ndjson"), text).unwrap();
    let of = |arguments: &[&str]| reported(folder.path(), &[&["a.ndjson"], arguments].concat());
    let gate = ["--profile=registry"];
    let offering = r#""authMethods":[{"id":"a","name":"A"}]"#;
    write("starting up\n".to_owned() + &faulty().replace(offering, r#""authMethods":[]"#));
    assert_eq!(of(&gate), ["error[transport/not-json]", "error[registry/no-auth-method]"]);
    // The stray line is no part of a message, so that no session can have begun in it.
    assert_eq!(of(&[]), ["error[transport/not-json]", BOTH[0], BOTH[1]]);
    write(faulty());
    assert_eq!(of(&gate), [""; 0]);
    let version = r#""result":{"protocolVersion":"#;
    write(faulty().replace(&format!("{version}1"), &format!("{version}\"1\"")));
    assert_eq!(of(&gate), ["error[registry/version-not-integer]"]);
    assert_eq!(
        of(&["--select=lifecycle,schema,registry"])[0],
        "info[registry/version-not-integer]"
    );
}

#[test]
fn strictly_the_recommended_is_expected() {
    let folder = TempDir::new().unwrap();
    let text = OPENING.replace(r#","agentInfo":{"name":"kettle","version":"1.0.0"}"#, "");
    fs::write(folder.path().join("a.ndjson"), text).unwrap();
    let of = |arguments: &[&str]| reported(folder.path(), &[&["a.ndjson"], arguments].concat());
    assert_eq!(of(&[]), ["info[lifecycle/missing-info]"]);
    assert_eq!(of(&["--profile=strict"]), ["warning[lifecycle/missing-info]"]);
}

#[test]
fn mistakes_are_shown_where_they_are() {
    let mut text = String::new();
    for config in [
        "profil = \"strict\"\n",
        "surface = \"v3\"\n",
        "surface = 2\n",
        "fail-on = \"warn\"\n[severity]\n\"plan/duplicate-entri\" = \"info\"\nplan = \"off\"\n",
        "select = \"plan\"\n",
        "select = [\"pln\", \"unknown-id\"]\n",
        "[[ignore]]\nrules = [\"plan\"]\n",
        "[[ignore]]\nrules = [\"plan\"]\nreason = \"\"\n",
        "[[ignore]]\nrules = [\"plan\"]\nreason = \" \"\n",
        "[[ignore]]\nrules = [\"plan\"]\nreason = \"old\"\npath = [\"old\"]\n",
        "ignore = [\"plan\"]\n",
        "[[override]]\nseverity.plan = \"info\"\n",
        "[[override]]\nagents = [\"kettle\"]\nsurface = \"v2\"\n",
        "[[override]]\npaths = [\"old/[a\"]\n",
        "[[override]]\nagents = [\"{a\"]\n",
        "[[override]]\nagents = [\"[\u{202e}-a]\"]\n",
        "edition = \"2026-06\nhead = \"auto\"\n",
        "tail = \"open\"\ntail = \"closed\"\n",
        "input-format = \"acp_tck\"\n",
        "\u{feff}# \u{202e}fine\nedition = \"\u{202e}\"\n",
    ] {
        let project = project(config);
        let run = acpcheck(project.path(), &["check", "faulty.ndjson"]);
        assert_eq!((run.status, run.stdout.as_str()), (2, ""), "{config}");
        assert!(!run.stderr.contains('\u{202e}'));
        writeln!(text, "=== {}\n{}", config.escape_debug(), run.stderr).unwrap();
    }
    insta::assert_snapshot!(text);
}

#[test]
fn what_cannot_be_read_is_named() {
    let folder = TempDir::new().unwrap();
    let run = acpcheck(folder.path(), &["check", "--config=none.toml", "."]);
    assert_eq!(run.status, 2);
    assert!(run.stderr.starts_with("error: cannot read `none.toml`: "), "{}", run.stderr);
    fs::write(folder.path().join("acpcheck.toml"), b"profile = \"\xff\"\n").unwrap();
    let run = acpcheck(folder.path(), &["check", "."]);
    assert_eq!(run.status, 2);
    assert!(run.stderr.starts_with("error: cannot read `acpcheck.toml`: "), "{}", run.stderr);
    let run = acpcheck(folder.path(), &["check", "--isolated", "--config=none.toml", "."]);
    assert_eq!(run.status, 2);
}

/// A configuration with everything in it.
const FULL: &str = r#"profile = "strict"
surface = "v1"
edition = "2026-08"
head = "complete"
tail = "open"
input-format = "ndjson"
fail-on = "info"
select = ["all", "plan/duplicate-entry"]

[severity]
plan = "warning"
"plan/duplicate-entry" = "error"

[[ignore]]
rules = ["session", "plan/empty-id"]
reason = "the editor shows it anyhow"

[[ignore]]
rules = ["ext"]
paths = ["old/**", "*.log"]
agents = ["kettle*"]
methods = ["session/*"]
reason = "fixed in 0.4"

[[override]]
paths = ["old"]
surface = "v2-unstable"
edition = "current"
head = "truncated"
tail = "closed"
input-format = "auto"
severity = { schema = "info" }

[[override]]
agents = ["teapot"]
methods = ["fs/*"]
severity = { all = "error" }
"#;

#[test]
fn what_is_in_force_is_printed() {
    let project = project(FULL);
    let print = |arguments: &[&str]| {
        let run = acpcheck(project.path(), &[&["check", "--print-config"], arguments].concat());
        assert_eq!((run.status, run.stderr.as_str()), (0, ""));
        run.stdout
    };
    insta::assert_snapshot!("in_force", print(&["faulty.ndjson", "old/faulty.ndjson"]));
    let options = [
        "--select=plan/empty-id,session,plan",
        "--severity=plan=off,schema=info",
        "--ignore=plan/empty-id",
        "--tail=auto",
    ];
    insta::assert_snapshot!("in_force_with_options", print(&options));
    insta::assert_snapshot!("in_force_by_default", print(&["--isolated"]));
}

fn schema_path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("schema/acpcheck.schema.json")
}

fn schema() -> serde_json::Value {
    serde_json::from_str(&fs::read_to_string(schema_path()).unwrap()).unwrap()
}

/// Writes a list of names into the text of the schema.
fn with_names(schema: &str, definition: &str, names: &[&str]) -> String {
    let start = schema.find(&format!("\"{definition}\": {{\n")).unwrap();
    let (before, rest) = schema.split_at(start + schema[start..].find("\"enum\": [").unwrap());
    let (_, behind) = rest.split_once(']').unwrap();
    let list: Vec<_> = names.iter().map(|name| format!("\n        \"{name}\"")).collect();
    format!("{before}\"enum\": [{}\n      ]{behind}", list.join(","))
}

#[test]
fn the_schema_knows_all_names() {
    let text = fs::read_to_string(schema_path()).unwrap();
    let mut selectors = vec!["all"];
    for rule in CATALOGUE {
        if !selectors.contains(&rule.family()) {
            selectors.push(rule.family());
        }
    }
    selectors.extend(CATALOGUE.iter().map(|rule| rule.id));
    selectors.extend(ALIASES.iter().map(|(alias, _)| *alias));
    let formats: Vec<_> =
        std::iter::once("auto").chain(FORMATS.iter().map(|format| format.name)).collect();
    let current = with_names(&text, "selector", &selectors);
    let current = with_names(&current, "input-format", &formats);
    if text != current {
        fs::write(schema_path(), current).unwrap();
        panic!("schema/acpcheck.schema.json was out of date and has been rewritten");
    }
}

#[test]
fn the_schema_is_one_and_describes_what_is_read() {
    let schema = schema();
    jsonschema::draft7::meta::validate(&schema).unwrap();
    let validator = jsonschema::draft7::new(&schema).unwrap();
    let is_valid = |config: &str| {
        let config: toml::Value = toml::from_str(config).unwrap();
        validator.is_valid(&serde_json::to_value(config).unwrap())
    };
    let is_read = |config: &str| {
        let project = project(config);
        let run = acpcheck(project.path(), &["check", "--print-config"]);
        assert!(run.status == 0 || run.status == 2, "{}", run.stderr);
        run.status == 0
    };
    for (config, is_right) in [("", true), (FULL, true), ("unknown = 1", false)] {
        assert_eq!((is_valid(config), is_read(config)), (is_right, is_right), "{config}");
    }
    // Whatever may be chosen is read.
    let properties = schema["properties"].as_object().unwrap();
    let mut count = 0;
    for (key, property) in properties {
        let definition = property["$ref"].as_str().map(|path| path.trim_start_matches('#'));
        let property = definition.map_or(property, |path| schema.pointer(path).unwrap());
        for choice in property["enum"].as_array().into_iter().flatten() {
            let config = format!("{key} = {choice}");
            assert!(is_valid(&config) && is_read(&config), "{config}");
            count += 1;
        }
    }
    assert!(count > 60, "{count}");
}

/// A folder of schemas in upstream's form: printed on many lines, with prose, and with an update that
/// no built-in schema knows.
fn own_schemas(folder: &Path) {
    for name in ["v1/schema.json", "v1/schema.unstable.json"] {
        let text = fs::read_to_string(schema_path().with_file_name(name)).unwrap();
        let mut schema: serde_json::Value = serde_json::from_str(&text).unwrap();
        let update = serde_json::json!({
            "description": "Shows a hologram.",
            "type": "object",
            "properties": {
                "sessionUpdate": {"type": "string", "const": "hologram_update"},
                "depth": {"type": "integer"},
            },
            "required": ["sessionUpdate", "depth"],
        });
        schema["$defs"]["SessionUpdate"]["oneOf"].as_array_mut().unwrap().push(update);
        let path = folder.join("schemas").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, serde_json::to_string_pretty(&schema).unwrap()).unwrap();
    }
}

#[test]
fn schemas_of_the_users_take_the_place_of_the_built_in_ones() {
    let update = |update: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"s","update":{update}}}}}"#
        ) + "\n"
    };
    let project = project("schema = 'schemas'");
    own_schemas(project.path());
    let text = OPENING.to_owned()
        + &update(r#"{"sessionUpdate":"hologram_update","depth":3}"#)
        + &update(r#"{"sessionUpdate":"hologram_update"}"#);
    fs::write(project.path().join("t.ndjson"), text).unwrap();
    let own = reported(project.path(), &["t.ndjson"]);
    assert_eq!(own, ["error[schema/params]"]);
    let built_in = reported(project.path(), &["--isolated", "t.ndjson"]);
    assert_eq!(built_in, ["error[schema/params]"]);
    let line = |arguments: &[&str]| {
        let all = [&["check", "--format=concise", "-q"], arguments].concat();
        acpcheck(project.path(), &all).stdout.split(':').nth(1).unwrap().to_owned()
    };
    let by_option = line(&["--isolated", "--schema=schemas", "t.ndjson"]);
    assert_eq!((line(&["t.ndjson"]), by_option), ("6".into(), "6".into()));
    assert_eq!(line(&["--isolated", "t.ndjson"]), "5");
    // Earlier editions stay as they were.
    assert_eq!(line(&["--edition=2026-11", "t.ndjson"]), "5");
    for (edition, is_own) in [("2026-11", false), ("2026-11-20", true)] {
        let edition = format!("--edition={edition}");
        let run = acpcheck(project.path(), &["check", &edition, "t.ndjson"]);
        let said = run.stdout + &run.stderr;
        assert_eq!(said.contains("custom schemas"), is_own, "{said}");
    }
    // The drafts follow a stable schema that comes alone.
    for version in ["v1", "v2"] {
        let drafts = format!("schemas/{version}/schema.unstable.json");
        _ = fs::remove_file(project.path().join(drafts));
    }
    assert_eq!(line(&["t.ndjson"]), "6");

    let json = acpcheck(project.path(), &["check", "--format=json", "t.ndjson"]).stdout;
    let report: serde_json::Value = serde_json::from_str(&json).unwrap();
    let revision = report["schema"]["revision"].as_str().unwrap();
    let hash = revision.split("sha256 ").nth(1).unwrap().split(')').next().unwrap();
    assert!(hash.len() == 64 && hash.chars().all(|it| it.is_ascii_hexdigit()), "{revision}");
}

#[test]
fn schemas_that_cannot_be_used_are_refused() {
    let project = project("");
    let stable = project.path().join("schemas/v2/schema.json");
    fs::create_dir_all(stable.parent().unwrap()).unwrap();
    let refused = |word: &str| {
        let run = acpcheck(project.path(), &["check", "--schema=schemas", "faulty.ndjson"]);
        assert_eq!((run.status, run.stdout.as_str()), (2, ""), "{word}");
        assert!(run.stderr.contains(word), "{word}: {}", run.stderr);
    };
    refused("has no schemas");
    for (text, word) in [
        ("{", "not JSON"),
        ("{}", "no `$defs` object"),
        (r#"{"$defs":{}}"#, "does not define `InitializeRequest`"),
        (include_str!("../schema/v1/schema.json"), "`v2/schema.json` is not a schema of version 2"),
        (r##"{"$defs":{"A":{"$ref":"#/$defs/B"}}}"##, "does not define"),
        (&"[".repeat(1_000_000), "not JSON"),
    ] {
        fs::write(&stable, text).unwrap();
        refused(word);
    }
    fs::remove_file(&stable).unwrap();
    fs::create_dir(&stable).unwrap();
    refused("not a file");
    let missing = acpcheck(project.path(), &["check", "--schema=missing", "faulty.ndjson"]);
    assert_eq!(missing.status, 2);
}

#[test]
fn entries_that_match_no_transcript_are_named() {
    let project = project(
        "[[ignore]]\nrules = ['schema']\npaths = ['old']\nreason = 'old'\n\
         [[ignore]]\nrules = ['plan']\npaths = ['older', 'oldest']\nreason = 'old'\n\
         [[override]]\npaths = ['*.log']\ntail = 'closed'\n",
    );
    for command in ["check", "report"] {
        let run = acpcheck(project.path(), &[command, "--fail-on=never", "."]);
        let told = run.stderr.replace('\n', " ");
        for entry in ["`[[ignore]]`: `older`, `oldest`", "`[[override]]`: `*.log`"] {
            assert!(told.contains(entry), "{command}: {told}");
        }
        assert_eq!(told.matches("no transcript has a path of this").count(), 2, "{told}");
        let quiet = acpcheck(project.path(), &[command, "--fail-on=never", "-q", "."]);
        assert_eq!(quiet.stderr, "");
    }
}
