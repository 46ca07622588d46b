//! Writes reports to standard output and to files, several in one run.
//!
//! Checked files go in, in their order. A report that can be read as far as it has been written goes
//! out in whole lines. Any other report in a file appears when it is complete, in place of what was
//! there before. Where one report cannot be written, the others are.
#![expect(clippy::disallowed_methods, reason = "this is where files are written")]

use std::{
    collections::HashSet,
    env, fmt,
    fs::{self, File, OpenOptions},
    io::{self, BufWriter, Read, Seek, SeekFrom, Write},
    mem,
    path::{Path, PathBuf},
};

use tempfile::SpooledTempFile;

use super::{
    Console,
    folders::{is_file, name},
    identity::followed,
    interrupts::Interrupts,
    temporary::temp_error,
};
use crate::{
    diagnostic::Diagnostic,
    protocol::schema::nearest,
    report::{
        self, FORMATS, Options, OutputFormat, Report, Statistics, Summary, TextStyle, Unread,
    },
    source::Locator,
};

/// A report that the user wants: its format, and where it goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Wanted {
    pub(super) format: &'static OutputFormat,
    /// The file to which the report is written; `None` for standard output.
    pub(super) path: Option<PathBuf>,
}

impl Wanted {
    /// Reads a value of `--report`, `FORMAT[=PATH]`. The error suggests a format.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let (name, path) = match text.split_once('=') {
            Some((_, "")) => return Err("the path after `=` is missing".to_owned()),
            Some((name, "-")) => (name, None),
            Some((name, path)) => (name, Some(PathBuf::from(path))),
            None => (text, None),
        };
        match report::find(name) {
            Some(format) => Ok(Self { format, path }),
            None => Err(match nearest(name, names()) {
                Some(nearest) => format!("unknown format; did you mean `{nearest}`?"),
                None => format!("unknown format; the formats are {}", names().join(", ")),
            }),
        }
    }
}

/// The names of all formats of reports, for shell completion.
pub(super) fn names() -> Vec<&'static str> {
    FORMATS.iter().map(|format| format.name).collect()
}

/// The reports to write: first the one on standard output, then those of `--report`. `format` is
/// the value of `--format`. Fails, with a sentence, when two would go to one place.
pub(super) fn plan(
    format: Option<&'static OutputFormat>,
    reports: &[Wanted],
) -> Result<Vec<Wanted>, String> {
    let mut standard = reports.iter().filter(|report| report.path.is_none());
    let own = standard.next();
    if standard.next().is_some() {
        return Err("only one report can go to standard output; give the others a path, as in \
                    `--report sarif=out.sarif`"
            .to_owned());
    }
    let text = match (format, own) {
        (None, Some(report)) if !report.format.goes_with_text => None,
        (Some(format), Some(report)) if !(format.is_text && report.format.goes_with_text) => {
            let report = report.format;
            return Err(format!(
                "`--format {format}` and `--report {report}` would both go to standard output; \
                 give the report a path, as in `--report {report}=PATH`"
            ));
        }
        (format, _) => Some(format.unwrap_or(report::DEFAULT)),
    };
    let mut paths = HashSet::new();
    for path in reports.iter().filter_map(|report| report.path.as_deref()) {
        if !paths.insert(path) {
            return Err(format!("two reports would go to `{}`", path.display()));
        }
    }
    let text = text.map(|format| Wanted { format, path: None });
    Ok(text.into_iter().chain(reports.iter().cloned()).collect())
}

/// All reports of a run. Each checked file is written to all of them.
#[derive(Debug)]
pub(super) struct Outputs {
    console: Console,
    outputs: Vec<Output>,
}

/// The error when no report can be written any more, so that the caller should end the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stopped;

/// A report that the run writes, with its format and its destination.
#[derive(Debug)]
struct Output {
    wanted: Wanted,
    report: Box<dyn Report>,
    /// The place to which the report is written; after a failure, the kind of the error.
    sink: Result<Sink, io::ErrorKind>,
}

/// How many bytes of a report are written in one call. An interrupted program ends between two such
/// calls.
const PIECE: usize = 64 << 10;

impl Outputs {
    /// Opens the files of all wanted reports, and writes the beginning of each. A file that cannot
    /// be opened is reported on standard error, and its report is left out.
    pub(super) fn open(
        wanted: Vec<Wanted>,
        options: Options,
        console: Console,
        interrupts: &Interrupts,
    ) -> Self {
        let outputs = wanted.into_iter().map(|wanted| {
            let report = wanted.format.report(wanted.options(options, console));
            let sink = Sink::open(&wanted, interrupts);
            let sink = sink.map_err(|error| wanted.fail(&error, console));
            Output { wanted, report, sink }
        });
        let mut outputs = Self { console, outputs: outputs.collect() };
        for output in &mut outputs.outputs {
            if !output.wanted.format.begins_last {
                output.write(console, |report, sink| report.begin(&Summary::default(), sink));
            }
        }
        outputs
    }

    /// Writes the next checked file and its diagnostics to all reports. `locator` reads the file
    /// again for excerpts. `Stopped` when no report can be written any more.
    pub(super) fn file(
        &mut self,
        file: &report::File<'_>,
        diagnostics: &[Diagnostic],
        locator: &mut Locator<'_>,
    ) -> Result<(), Stopped> {
        for output in &mut self.outputs {
            output.write(self.console, |report, sink| {
                // A report is written in many small pieces.
                let mut out = BufWriter::with_capacity(PIECE, sink);
                report.file(file, diagnostics, locator, &mut out)?;
                out.into_inner().map_err(io::IntoInnerError::into_error)?;
                Ok(())
            });
        }
        self.go_on()
    }

    /// Writes to all reports that an input was not checked, and why. `Stopped` when no report can
    /// be written any more, so that the caller should end the run.
    pub(super) fn unread(&mut self, unread: &Unread) -> Result<(), Stopped> {
        for output in &mut self.outputs {
            output.write(self.console, |report, sink| report.unread(unread, sink));
        }
        self.go_on()
    }

    /// Hands on to the system what has been written so far, so that it appears before a message on
    /// standard error. `Stopped` when no report can be written any more.
    pub(super) fn flush(&mut self) -> Result<(), Stopped> {
        for output in &mut self.outputs {
            output.write(self.console, |_, sink| sink.flush());
        }
        self.go_on()
    }

    /// Writes the ends of all reports. Reports for people end with the table of statistics, if
    /// given, and with a summary unless `is_quiet`. `Stopped` when none could be written.
    pub(super) fn end(
        &mut self,
        summary: &Summary,
        statistics: Option<&Statistics>,
        is_quiet: bool,
    ) -> Result<(), Stopped> {
        for output in &mut self.outputs {
            let (format, style) = (output.wanted.format, output.wanted.style(self.console));
            output.write(self.console, |report, sink| {
                report.end(summary, sink)?;
                if format.is_text {
                    if let Some(statistics) = statistics {
                        writeln!(sink, "{}", statistics.table(style))?;
                    }
                    if !is_quiet && summary.files > 0 {
                        writeln!(sink, "{}", style.wrap("", "", &summary.to_string()))?;
                    }
                }
                sink.close(
                    |out| {
                        if format.begins_last { report.begin(summary, out) } else { Ok(()) }
                    },
                )
            });
        }
        self.go_on()
    }

    /// The names of the regular files to which reports were written.
    pub(super) fn written(&self) -> impl Iterator<Item = String> {
        let written = self.outputs.iter().filter(|output| output.sink.is_ok());
        let paths = written.filter_map(|output| output.wanted.path.as_deref());
        paths.filter(|path| is_file(path)).map(name)
    }

    /// Whether a report could not be written for another reason than a reader that has closed the
    /// pipe.
    pub(super) fn have_failed(&self) -> bool {
        let kinds = self.outputs.iter().filter_map(|output| output.sink.as_ref().err());
        kinds.into_iter().any(|kind| *kind != io::ErrorKind::BrokenPipe)
    }

    /// `Stopped` when no report can be written any more, so that the run should end.
    fn go_on(&self) -> Result<(), Stopped> {
        if self.outputs.iter().any(|output| output.sink.is_ok()) { Ok(()) } else { Err(Stopped) }
    }
}

impl Output {
    /// Calls `write`, unless writing this report has failed before. Reports an error on standard
    /// error.
    fn write(
        &mut self,
        console: Console,
        write: impl FnOnce(&mut dyn Report, &mut Sink) -> io::Result<()>,
    ) {
        let Ok(sink) = &mut self.sink else { return };
        if let Err(error) = write(&mut *self.report, sink) {
            self.sink = Err(self.wanted.fail(&error, console));
        }
    }
}

impl Wanted {
    /// The options for writing this report. `shared` holds those that all reports have in common.
    pub(super) fn options(&self, shared: Options, console: Console) -> Options {
        Options { style: self.style(console), ..shared }
    }

    /// The style of the report: that of the console on standard output, plain in files.
    fn style(&self, console: Console) -> TextStyle {
        if self.path.is_none() { console.out } else { TextStyle::PLAIN }
    }

    /// Reports on standard error that the report cannot be written, unless the reader of standard
    /// output has gone. Returns the kind of the error.
    fn fail(&self, error: &io::Error, console: Console) -> io::ErrorKind {
        let kind = error.kind();
        match &self.path {
            None if kind == io::ErrorKind::BrokenPipe => {}
            None => console.error(&format!("cannot write the output: {error}")),
            Some(path) => console.error(&format!("cannot write `{}`: {error}", path.display())),
        }
        kind
    }
}

/// The place that takes the bytes of a report while it is written.
enum Sink {
    /// Standard output, collected and written as a whole, for a format that is of use only when
    /// complete.
    Standard(BufWriter<io::Stdout>),
    /// A file or standard output that gets whole lines, for a format in which single lines can be
    /// read.
    Lines(WholeLines),
    /// A temporary store of the whole report, which is copied to its destination at the end.
    Spool { spool: SpooledTempFile, to: Destination, interrupts: Interrupts },
}

/// How many bytes of a report are kept in memory. The rest is kept in an unnamed temporary file.
const IN_MEMORY: usize = 4 << 20;

impl Sink {
    fn open(wanted: &Wanted, interrupts: &Interrupts) -> io::Result<Self> {
        let format = wanted.format;
        let lines = |to| WholeLines::new(to, interrupts.clone());
        let to = match &wanted.path {
            Some(path) if format.is_read_along && !is_step_summary(path) => {
                return Ok(Self::Lines(lines(Box::new(create(path)?))));
            }
            Some(path) => Destination::of(path, interrupts)?,
            None if format.begins_last => Destination::Standard,
            None if format.is_read_along => {
                return Ok(Self::Lines(lines(Box::new(io::stdout()))));
            }
            None => return Ok(Self::Standard(BufWriter::new(io::stdout()))),
        };
        let spool = SpooledTempFile::new(IN_MEMORY);
        Ok(Self::Spool { spool, to, interrupts: interrupts.clone() })
    }

    /// Completes the report and puts it in place. `begin` writes the text that goes before all
    /// other, for formats that begin last. Fails when writing fails.
    fn close(&mut self, begin: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        let Self::Spool { spool, to, interrupts } = self else { return self.flush() };
        spool.seek(SeekFrom::Start(0))?;
        to.put(interrupts, |out| {
            begin(out)?;
            io::copy(spool, out)?;
            out.flush()
        })
    }
}

impl Write for Sink {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        match self {
            Self::Standard(out) => out.write(buffer),
            Self::Lines(lines) => lines.write(buffer),
            Self::Spool { spool, .. } => spool.write(buffer).map_err(temp_error),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Standard(out) => out.flush(),
            Self::Lines(lines) => lines.flush(),
            Self::Spool { .. } => Ok(()),
        }
    }
}

impl fmt::Debug for Sink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Standard(_) => "Standard",
            Self::Lines(_) => "Lines",
            Self::Spool { .. } => "Spool",
        })
    }
}

/// A writer that passes on whole lines only, so that the output of an interrupted run can be read.
struct WholeLines {
    to: Box<dyn Write + Send>,
    interrupts: Interrupts,
    /// The beginning of a line that was not written to its end yet.
    rest: Vec<u8>,
}

impl WholeLines {
    fn new(to: Box<dyn Write + Send>, interrupts: Interrupts) -> Self {
        Self { to, interrupts, rest: Vec::new() }
    }
}

impl Write for WholeLines {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        let whole = memchr::memrchr(b'\n', buffer).map_or(0, |last| last + 1);
        let (lines, rest) = buffer.split_at(whole);
        if !lines.is_empty() {
            let Self { to, interrupts, rest } = self;
            // A signal would end the program in the middle of a line.
            interrupts.complete(|| {
                if rest.is_empty() {
                    to.write_all(lines)
                } else {
                    rest.extend_from_slice(lines);
                    to.write_all(&mem::take(rest))
                }
            })?;
        }
        self.rest.extend_from_slice(rest);
        Ok(buffer.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

/// The place to which a finished file is copied as a whole.
#[derive(Debug)]
pub(super) enum Destination {
    Standard,
    /// A file that is replaced in one step, or made if it does not exist.
    File(PathBuf),
    /// An existing file that is written into: a device, a pipe, or a file in a folder where no
    /// other can be made.
    Existing(PathBuf),
    /// A file to which the text is appended, such as the summary of a job step on GitHub.
    End(PathBuf),
}

/// Whether a path is the file of the variable `GITHUB_STEP_SUMMARY`, to which all parts of a job
/// step append.
fn is_step_summary(path: &Path) -> bool {
    let summary = env::var_os("GITHUB_STEP_SUMMARY");
    summary.is_some_and(|summary| !summary.is_empty() && path.as_os_str() == summary)
}

/// Opens a file to append to it. Makes the file, and the folders that lead to it, if they do not
/// exist. Fails as the system does.
fn append(path: &Path) -> io::Result<File> {
    make_folder(path)?;
    OpenOptions::new().read(true).append(true).create(true).open(path)
}

impl Destination {
    /// The destination at a path. Fails early when it cannot be written, before a run that takes
    /// long.
    pub(super) fn of(path: &Path, interrupts: &Interrupts) -> io::Result<Self> {
        if is_step_summary(path) {
            return append(path).map(|_| Self::End(path.to_owned()));
        }
        let there = fs::metadata(path).ok();
        match &there {
            Some(there) if there.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            // A pipe is opened but once.
            Some(there) if !there.is_file() => return Ok(Self::Existing(path.to_owned())),
            Some(_) | None => {}
        }
        // A link stays one: what it leads to is replaced.
        let file = if there.is_some() { fs::canonicalize(path)? } else { followed(path)? };
        make_folder(&file)?;
        match interrupts.complete(|| tempfile::tempfile_in(folder(&file))) {
            Ok(_) => Ok(Self::File(file)),
            Err(error) if there.is_none() => Err(error),
            Err(_) => {
                OpenOptions::new().write(true).open(&file)?;
                Ok(Self::Existing(file))
            }
        }
    }

    pub(super) fn put(
        &self,
        interrupts: &Interrupts,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        match self {
            Self::Standard => write(&mut BufWriter::new(io::stdout())),
            Self::Existing(path) => {
                let file = OpenOptions::new().write(true).truncate(true).open(path)?;
                write(&mut BufWriter::new(file))
            }
            Self::End(path) => {
                let mut text = Vec::new();
                write(&mut text)?;
                interrupts.complete(|| write_behind(path, text))
            }
            Self::File(path) => {
                // It has no name, so that it goes away with the program.
                let mut file = interrupts.complete(|| tempfile::tempfile_in(folder(path)))?;
                let mut out = BufWriter::new(&file);
                write(&mut out)?;
                out.flush()?;
                drop(out);
                file.rewind()?;
                interrupts.complete(|| replace(path, &mut file))
            }
        }
    }
}

/// Appends a text to a file, on a new line: all of it, or nothing when writing fails.
fn write_behind(path: &Path, mut text: Vec<u8>) -> io::Result<()> {
    let mut file = append(path)?;
    let length = file.metadata()?.len();
    if length > 0 {
        let mut last = [0];
        file.seek(SeekFrom::Start(length - 1))?;
        file.read_exact(&mut last)?;
        if last != *b"\n" {
            text.insert(0, b'\n');
        }
    }
    file.write_all(&text).inspect_err(|_| {
        // The disk is full, or the file is as long as it may be.
        let _ = file.set_len(length);
    })
}

/// Replaces the file at `path` by a copy of `from` in one step. Keeps the permissions of an
/// existing file. Fails as the system does.
fn replace(path: &Path, from: &mut File) -> io::Result<()> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".acpcheck-").suffix(".tmp");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // Whatever the user's mask leaves of it, as for any other file.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let mut file = builder.tempfile_in(folder(path))?;
    io::copy(from, &mut file)?;
    if let Ok(there) = fs::metadata(path) {
        file.as_file().set_permissions(there.permissions())?;
    }
    file.persist(path)?;
    Ok(())
}

/// Makes an empty file, and the folders that lead to it; empties a file that exists. Fails as the
/// system does.
fn create(path: &Path) -> io::Result<File> {
    make_folder(path)?;
    File::create(path)
}

/// Makes the folders that lead to a file, if they do not exist. Fails as the system does.
fn make_folder(path: &Path) -> io::Result<()> {
    fs::create_dir_all(folder(path))
}

fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    fn planned(format: Option<&str>, reports: &[&str]) -> Result<Vec<String>, String> {
        let reports: Vec<_> =
            reports.iter().map(|report| Wanted::parse(report)).collect::<Result<_, _>>()?;
        let format = format.map(|name| report::find(name).expect("a format"));
        let plan = plan(format, &reports)?;
        Ok(plan
            .into_iter()
            .map(|Wanted { format, path }| match path {
                Some(path) => format!("{format}={}", path.display()),
                None => format.to_string(),
            })
            .collect())
    }

    #[test]
    fn a_report_without_a_path_takes_the_place_of_the_text() {
        assert_eq!(planned(None, &[]), Ok(vec!["full".to_owned()]));
        assert_eq!(planned(None, &["json"]), Ok(vec!["json".to_owned()]));
        assert_eq!(planned(None, &["json=-"]), Ok(vec!["json".to_owned()]));
        let with_text = vec!["full".to_owned(), "json=a=b".to_owned(), "sarif=c".to_owned()];
        assert_eq!(planned(None, &["json=a=b", "sarif=c"]), Ok(with_text));
    }

    #[test]
    fn workflow_commands_go_with_the_text() {
        let both = |text: &str| Ok(vec![text.to_owned(), "github".to_owned()]);
        assert_eq!(planned(None, &["github"]), both("full"));
        assert_eq!(planned(Some("concise"), &["github"]), both("concise"));
        assert_eq!(planned(Some("github"), &[]), Ok(vec!["github".to_owned()]));
    }

    #[test]
    fn nothing_is_written_twice_to_one_place() {
        for (format, reports) in [
            (None, &["json", "sarif"][..]),
            (None, &["json", "github"]),
            (Some("full"), &["json"]),
            (Some("json"), &["github"]),
            (None, &["json=a", "sarif=a"]),
        ] {
            assert!(planned(format, reports).is_err(), "{format:?} {reports:?}");
        }
    }

    #[test]
    fn a_misspelt_format_is_put_right() {
        let error = Wanted::parse("sarfi=out").unwrap_err();
        assert_eq!(error, "unknown format; did you mean `sarif`?");
        assert!(Wanted::parse("xml").unwrap_err().contains("junit"));
        assert!(Wanted::parse("json=").is_err());
    }

    /// A writer for tests, which keeps the bytes of each call of `write` as one text.
    #[derive(Clone, Default)]
    struct Pieces(Arc<Mutex<Vec<String>>>);

    impl Write for Pieces {
        fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
            self.0
                .lock()
                .expect("nobody panics")
                .push(String::from_utf8_lossy(buffer).into_owned());
            Ok(buffer.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn lines_arrive_whole() {
        let pieces = Pieces::default();
        let mut lines = WholeLines::new(Box::new(pieces.clone()), Interrupts::none());
        for piece in ["one\ntw", "o", "\n", "three\nfour\n", "fi"] {
            lines.write_all(piece.as_bytes()).expect("in memory");
        }
        assert_eq!(*pieces.0.lock().expect("nobody panics"), ["one\n", "two\n", "three\nfour\n"]);
    }
}
