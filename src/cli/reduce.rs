//! `acpcheck reduce`: makes the smallest recording that still has a finding.

use std::{
    io::{self, Write},
    num::NonZero,
    path::PathBuf,
};

use super::{
    arguments::{Completable, checked, counted},
    bounded::Unpacking,
    config::{CommandLine, Config},
    console::Console,
    exit_status::ExitStatus,
    folders,
    input::{self, Input},
    interrupts::Interrupts,
    output::Destination,
    overwrite_guard::GuardedFiles,
    reading::{self, NotJudged},
    selector::{self, Selector},
    stories::Stories,
    workload::Workload,
};
use crate::{
    check::{self, Settings},
    diagnostic::Diagnostic,
    map::{IndexSet, Set},
    redact::{FindingKey, Redacted, Redactor, StringPlace},
    reduce::{self, Issue, Limits, Reduced},
    report::{Plural, grouped},
    rule::Severity,
    rules,
    source::printable,
};

/// Make the smallest recording that still has a finding.
///
/// Leaves out messages, and members of the messages that stay, as long as the finding is there: the
/// same rule and side, at the same message. acpcheck checks each candidate. What is left could have
/// been recorded: answers have their requests, sessions and tool calls their beginning. Nothing is
/// added or reordered.
#[derive(Debug, clap::Args)]
#[command(
    mut_arg("fail_on", |argument| argument.hide(true)),
    mut_arg("side", |side| side.help(SIDE).long_help(SIDE)),
    after_help = HELP,
)]
pub(super) struct Arguments {
    /// The recording; `-` is standard input.
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// The finding: its rule, and its line as `check` shows it [default: the only one of FILE].
    ///
    /// Without a line, the first finding of the rule.
    #[arg(
        long,
        value_name = "RULE[:LINE]",
        value_parser = Completable { parse: Choice::parse, names: rule_names },
        hide_possible_values = true,
    )]
    finding: Option<Choice>,

    /// Also replace what users wrote by placeholders such as `text 1`, as the command `redact` does.
    #[arg(long)]
    redact: bool,

    /// Write the text of an issue to standard output: the finding, the protocol's words, and the
    /// recording.
    #[arg(long)]
    issue: bool,

    /// Write the recording to this file [default: standard output, unless with --issue].
    #[arg(short = 'o', long = "output", value_name = "PATH")]
    output: Option<PathBuf>,

    /// With --redact: write the recording although strings had to stay in it, because a rule reads
    /// them.
    #[arg(long, requires = "redact")]
    keep_needed: bool,

    /// How many messages to check at most, in all candidates together.
    #[arg(
        long,
        value_name = "N",
        default_value_t = NonZero::new(reduce::BUDGET).unwrap_or(NonZero::<u64>::MIN),
        value_parser = checked(budget),
    )]
    budget: NonZero<u64>,

    #[command(flatten)]
    config: CommandLine,

    #[command(flatten)]
    unpacking: Unpacking,
}

const SIDE: &str = "Keep a finding of this side only: `--finding` names none of the other side";

const HELP: &str = "\
What it cannot see: without --redact, what users wrote in the messages that are
left stays. With --redact, names of implementations, modes, options and
commands stay, and so do names of members that look like those of programs.
Look at the result before you send it.

Exit status:
  0  the recording is reduced
  1  the finding is lost once messages stand on lines of their own, or it needs
     a string that --redact would replace: nothing is written
  2  could not run: wrong arguments, no such finding, or the output cannot be
     written
  3  FILE cannot be read or is not a transcript

Example:
  acpcheck reduce a.ndjson --finding plan/missing-id --redact -o small.ndjson";

/// The finding that the reduced recording must keep, as `--finding` names it; without a line, the
/// first of the rule.
#[derive(Clone, Copy, Debug)]
struct Choice {
    rule: &'static str,
    line: Option<NonZero<u32>>,
}

impl Choice {
    fn parse(text: &str) -> Result<Self, String> {
        let (rule, line) = match text.split_once(':') {
            Some((rule, line)) => (rule, Some(counted(line, "the number of a line")?)),
            None => (text, None),
        };
        match Selector::parse(rule)? {
            Selector::Rule(rule) => Ok(Self { rule, line }),
            Selector::Family(_) | Selector::All => Err("expected one rule".to_owned()),
        }
    }

    /// Whether a diagnostic is the finding that the user has chosen to keep.
    fn matches(self, diagnostic: &Diagnostic) -> bool {
        let is_line = |line: NonZero<u32>| line_of(diagnostic) == Some(line.get());
        diagnostic.rule.id == self.rule && self.line.is_none_or(is_line)
    }
}

fn rule_names() -> Vec<&'static str> {
    selector::names().into_iter().filter(|name| rules::find(name).is_some()).collect()
}

fn budget(text: &str) -> Result<NonZero<u64>, String> {
    counted(text, "a number of messages")
}

/// The line that `check` shows for a diagnostic; `None` when it has no place.
fn line_of(diagnostic: &Diagnostic) -> Option<u32> {
    diagnostic.finding.labels.first().map(|label| label.span.line)
}

pub(super) fn run(arguments: &Arguments, console: &Console) -> io::Result<ExitStatus> {
    let fail = |why: &str| {
        console.error(why);
        Ok(ExitStatus::Failed)
    };
    let Arguments { file, output, unpacking, .. } = arguments;
    if file.is_dir() {
        let name = folders::name(file);
        return fail(&format!("`{name}` is a folder; name one recording"));
    }
    let config = match Config::load(&arguments.config) {
        Ok(config) => config,
        Err(error) => return Ok(error.report(console)),
    };
    let interrupts = Interrupts::catch()?;
    let mut gathered = input::gather(std::slice::from_ref(file), "<stdin>");
    let own = Config::path(&arguments.config).map(|path| ("the configuration", path));
    let schemas = config.schema_files().into_iter().map(|path| ("a schema", path));
    let places = GuardedFiles {
        written: output.iter().cloned().collect(),
        read: own.into_iter().chain(schemas).collect(),
    };
    let guarded =
        places.check().and_then(|()| places.keep_from(&mut gathered, std::slice::from_ref(file)));
    if let Err(why) = guarded {
        return fail(&why);
    }
    let to = match output.as_deref().map(|path| Destination::of(path, &interrupts)).transpose() {
        Ok(to) => to.unwrap_or(Destination::Standard),
        Err(error) => return fail(&format!("cannot write the recording: {error}")),
    };
    let input = match gathered.inputs.pop() {
        Some(Ok(input)) => input,
        Some(Err(unread)) => {
            console.unread(&unread.path, &unread.reason);
            return Ok(ExitStatus::Unreadable);
        }
        None => return Ok(ExitStatus::Unreadable),
    };
    let settings = config.settings(&input.name());
    let recording = match reading::whole(&input, *unpacking, &settings) {
        Ok(recording) => recording,
        Err(why) => {
            let reason = match why {
                NotJudged::Unread(reason) => reason,
                NotJudged::PassedOver => "not a transcript".to_owned(),
            };
            console.unread(&input.name(), &reason);
            return Ok(ExitStatus::Unreadable);
        }
    };
    let (config, input, recording) = (&config, &input, &*recording);
    let run = ReduceRun { arguments, console, config, input, recording, settings };
    run.reduce(&to, &interrupts)
}

struct ReduceRun<'a> {
    arguments: &'a Arguments,
    console: &'a Console,
    config: &'a Config,
    input: &'a Input,
    recording: &'a [u8],
    settings: Settings,
}

impl ReduceRun<'_> {
    fn reduce(&self, to: &Destination, interrupts: &Interrupts) -> io::Result<ExitStatus> {
        let Self { arguments, console, recording, ref settings, .. } = *self;
        let (diagnostics, _) = check::check(recording, settings);
        let Some(target) = self.chosen(&diagnostics) else { return Ok(ExitStatus::Failed) };
        let key = FindingKey::of(target);
        let limits = Limits { budget: arguments.budget.get(), shortens: !arguments.redact };
        let Some(mut reduced) = reduce::reduce(recording, &key, settings, limits) else {
            let why = "the finding is lost when messages stand on lines of their own";
            console.unread(&self.input.name(), why);
            return Ok(ExitStatus::Findings);
        };
        let mut strings = None;
        if arguments.redact {
            let settings = self.settings_of(&reduced);
            let Some(redacted) = Redactor::default().redact(&reduced.bytes, &settings) else {
                console.unread(&self.input.name(), "the finding is lost when strings are replaced");
                return Ok(ExitStatus::Findings);
            };
            let Redacted { bytes, replaced, kept, .. } = redacted;
            if !kept.is_empty() && !arguments.keep_needed {
                self.say_what_stays(&kept);
                return Ok(ExitStatus::Findings);
            }
            reduced.bytes = bytes;
            strings = Some((replaced, kept.len()));
        }
        let said = self.summary(&reduced, target, strings);
        if arguments.issue {
            let name = arguments.output.as_ref().and_then(|path| path.file_name());
            let name = name.map(|name| name.to_string_lossy().into_owned());
            let name = name.unwrap_or_else(|| "small.ndjson".to_owned());
            let is_redacted = arguments.redact;
            let issue = Issue { recording, settings, reduced: &reduced, name: &name, is_redacted };
            io::stdout().lock().write_all(issue.text().as_bytes())?;
        }
        if arguments.output.is_some() || !arguments.issue {
            to.put(interrupts, |out| out.write_all(&reduced.bytes))?;
        }
        if arguments.output.is_some() && !arguments.issue {
            writeln!(io::stdout(), "{}", printable(&said))?;
        } else {
            console.note(&said);
        }
        Ok(ExitStatus::Clean)
    }

    /// The settings by which the reduced recording is checked. A rewritten one has another format.
    fn settings_of(&self, reduced: &Reduced) -> Settings {
        let mut settings = self.settings.clone();
        if reduced.is_rewritten {
            settings.format = None;
        }
        settings
    }

    /// The finding to reduce to: the chosen one, else the only one. Prints an error and returns
    /// `None` when there is none or no choice.
    fn chosen<'d>(&self, diagnostics: &'d [Diagnostic]) -> Option<&'d Diagnostic> {
        let name = self.input.name();
        let mut causes = Set::default();
        let first_of_cause = |it: &&Diagnostic| {
            let FindingKey { rule, severity, bound, fingerprint, .. } = FindingKey::of(it);
            causes.insert((rule, severity, bound, fingerprint))
        };
        let causes: Vec<_> = diagnostics.iter().filter(first_of_cause).collect();
        let why = if let Some(choice) = self.arguments.finding {
            let found = diagnostics.iter().find(|it| choice.matches(it));
            if found.is_some() {
                return found;
            }
            let line = choice.line.map(|line| format!(" at line {line}")).unwrap_or_default();
            format!("`{name}` has no finding of `{}`{line}", choice.rule)
        } else {
            // Infos count where there is nothing else.
            let grave = causes.iter().filter(|it| it.severity > Severity::Info);
            match (&grave.collect::<Vec<_>>()[..], &causes[..]) {
                ([one], _) => return Some(one),
                ([], [one]) => return Some(one),
                (_, all) => {
                    let count = Plural(all.len() as u64, "cause");
                    format!("`{name}` has findings of {count}; `--finding` chooses one")
                }
            }
        };
        let is_missing = self.arguments.finding.is_some() || causes.is_empty();
        if let Some(why) = is_missing.then(|| self.needs_others()).flatten() {
            self.console.error(&why);
            return None;
        }
        if causes.is_empty() {
            self.console.error(&format!("`{name}` has no finding"));
            return None;
        }
        self.console.error(&why);
        for it in &causes {
            let line = line_of(it).map(|line| format!(":{line}")).unwrap_or_default();
            let side = it.bound.map(|side| format!(", {side}")).unwrap_or_default();
            let (rule, severity) = (it.rule, it.severity);
            Console::print(&format!("  {}{line} ({severity}{side}): {}", rule.id, rule.summary));
        }
        None
    }

    /// Why the chosen finding, or any, cannot be reduced to, where FILE alone does not have it: it is
    /// there when other recordings in the folder of FILE are checked, too. `None` when it is not
    /// there then, either.
    fn needs_others(&self) -> Option<String> {
        let workload = Workload::with_neighbours(self.input.path()?, self.arguments.unpacking);
        let stories = Stories::read(&workload, self.config);
        let (name, mut settings) = (self.input.name(), self.settings.clone());
        stories.place(&mut settings, &name);
        settings.shelves.as_ref()?;
        let (diagnostics, _) = check::check(self.recording, &settings);
        let is_chosen =
            |it: &&Diagnostic| self.arguments.finding.is_none_or(|choice| choice.matches(it));
        let Diagnostic { rule, finding, .. } = diagnostics.iter().find(is_chosen)?;
        let others: IndexSet<_> =
            finding.elsewhere.iter().map(|place| format!("`{}`", place.file)).collect();
        let others = match others.into_iter().collect::<Vec<_>>().join(", ") {
            others if others.is_empty() => "other recordings of its folder".to_owned(),
            others => others,
        };
        Some(format!(
            "`{name}` has its finding of `{}` only when it is checked together with {others}; one \
             recording alone cannot show it",
            rule.id
        ))
    }

    fn say_what_stays(&self, kept: &[StringPlace]) {
        let name = self.input.name();
        let why = "rules read strings that would be replaced, so nothing is written \
                   (`--keep-needed` writes it); they stand in the reduced recording";
        self.console.unread(&name, why);
        for StringPlace { line, pointer } in kept {
            let place = format!("  line {line}, {pointer}: a rule reads this string");
            Console::print(&printable(&place));
        }
    }

    /// A line on what was left out, for the user. `strings` holds how many strings were replaced
    /// and kept by `--redact`.
    fn summary(
        &self,
        reduced: &Reduced,
        target: &Diagnostic,
        strings: Option<(usize, usize)>,
    ) -> String {
        let Reduced { bytes, messages, all_messages, finding, is_unfinished, .. } = reduced;
        let name = self.arguments.output.as_ref().map(|path| path.display().to_string());
        let name = name.unwrap_or_else(|| self.input.name());
        let [messages, all_messages, own, all] =
            [*messages, *all_messages, bytes.len(), self.recording.len()]
                .map(|number| grouped(number as u64));
        let side = target.bound.map(|side| format!(", {side}")).unwrap_or_default();
        let place =
            finding.lines.first().map(|line| format!(" is at line {line}")).unwrap_or_default();
        let mut said = format!(
            "{name}: {messages} of {all_messages} messages, {own} of {all} bytes; {} ({}{side}){place}.",
            target.rule.id, target.severity
        );
        if let Some((replaced, left)) = strings {
            let replaced = Plural(replaced as u64, "string");
            said += &format!(" {replaced} replaced, {left} left.");
        }
        if *is_unfinished {
            said += " The budget was spent before nothing more could be left out.";
        }
        said
    }
}
