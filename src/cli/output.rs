//! Where reports go: to standard output and to files, several in one run.
//!
//! A report that can be read as far as it has been written goes out line by line. Any other file
//! appears when it is complete, in place of what was there before. One that cannot be written does
//! not keep the others from being written.
#![expect(clippy::disallowed_methods, reason = "this is where files are written")]

use std::{
    collections::HashSet,
    fmt,
    fs::{self, File, OpenOptions},
    io::{self, BufWriter, Seek, SeekFrom, Write},
    mem,
    path::{Path, PathBuf},
};

use tempfile::{NamedTempFile, SpooledTempFile};

use super::{Console, interrupts::Interrupts, sheet::Sheet, temporary::unkept};
use crate::{
    protocol::schema::nearest,
    report::{self, Format, Look, Report, Section, Statistics, Summary, Terms, Unread},
};

/// A report that the user wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Wanted {
    pub(super) format: Format,
    /// `None` for standard output.
    pub(super) path: Option<PathBuf>,
}

impl Wanted {
    /// Reads `FORMAT[=PATH]`.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let (name, path) = match text.split_once('=') {
            Some((_, "")) => return Err("there is no path behind `=`".to_owned()),
            Some((name, "-")) => (name, None),
            Some((name, path)) => (name, Some(PathBuf::from(path))),
            None => (text, None),
        };
        match Format::ALL.iter().find(|format| format.name() == name) {
            Some(format) => Ok(Self { format: *format, path }),
            None => Err(match nearest(name, names()) {
                Some(nearest) => format!("there is no such format; did you mean `{nearest}`?"),
                None => format!("the formats are {}", names().join(", ")),
            }),
        }
    }
}

/// The names of all formats.
pub(super) fn names() -> Vec<&'static str> {
    Format::ALL.iter().map(|format| format.name()).collect()
}

/// What is written, and in what order. `format`: for standard output, where the user names one.
pub(super) fn plan(format: Option<Format>, reports: &[Wanted]) -> Result<Vec<Wanted>, String> {
    let mut standard = reports.iter().filter(|report| report.path.is_none());
    let own = standard.next();
    if standard.next().is_some() {
        return Err("only one report can go to standard output; give the others a path, as in \
                    `--report sarif=out.sarif`"
            .to_owned());
    }
    let text = match (format, own) {
        (None, Some(report)) if !report.format.goes_with_text() => None,
        (Some(format), Some(report)) if !(format.is_text() && report.format.goes_with_text()) => {
            let report = report.format;
            return Err(format!(
                "`--format {format}` and `--report {report}` would both go to standard output; \
                 give the report a path, as in `--report {report}=PATH`"
            ));
        }
        (format, _) => Some(format.unwrap_or_default()),
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

/// All reports of a run.
#[derive(Debug)]
pub(super) struct Outputs {
    console: Console,
    outputs: Vec<Output>,
}

/// Nothing is left that could be written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stopped;

/// A report and where it goes.
#[derive(Debug)]
struct Output {
    wanted: Wanted,
    report: Report,
    /// Or why nothing can be written any more.
    sink: Result<Sink, io::ErrorKind>,
}

impl Outputs {
    /// Says at once what cannot be written.
    pub(super) fn open(
        wanted: Vec<Wanted>,
        terms: Terms,
        console: Console,
        interrupts: &Interrupts,
    ) -> Self {
        let outputs = wanted.into_iter().map(|wanted| {
            let report = Report::new(wanted.format, terms);
            let sink =
                Sink::open(&wanted, interrupts).map_err(|error| wanted.fail(&error, console));
            Output { wanted, report, sink }
        });
        let mut outputs = Self { console, outputs: outputs.collect() };
        // Nothing but a closed pipe can be the matter so early, and the next one tells.
        let _ = outputs.each(|format, report, sink| {
            if format.begins_last() { Ok(()) } else { report.begin(&Summary::default(), sink) }
        });
        outputs
    }

    /// Writes a file's diagnostics.
    pub(super) fn file(
        &mut self,
        file: &report::File<'_>,
        sheets: &mut [(Section, Sheet)],
    ) -> Result<(), Stopped> {
        let mut sheets = sheets.iter_mut();
        self.each_with(
            || sheets.next(),
            |format, report, sink, sheet| {
                let Some((section, sheet)) = sheet else { return Ok(()) };
                report.begin_file(file, sink)?;
                sheet.write(format, &file.outcome.repeats, sink)?;
                report.end_file(file, section, sink)
            },
        )
    }

    pub(super) fn unread(&mut self, unread: &Unread) -> Result<(), Stopped> {
        self.each(|_, report, sink| report.unread(unread, sink))
    }

    /// Lets everything appear that has been written to standard output.
    pub(super) fn flush(&mut self) -> Result<(), Stopped> {
        self.each(|_, _, sink| sink.flush())
    }

    /// Writes what comes last. `statistics`: for the texts; `is_quiet`: they have no summary.
    pub(super) fn end(
        &mut self,
        summary: &Summary,
        statistics: Option<&Statistics>,
        is_quiet: bool,
    ) -> Result<(), Stopped> {
        let console = self.console;
        let looks: Vec<_> = self.outputs.iter().map(|it| it.wanted.look(console)).collect();
        let mut looks = looks.into_iter();
        self.each_with(
            || looks.next(),
            |format, report, sink, look| {
                report.end(summary, sink)?;
                if format.is_text() {
                    if let Some(statistics) = statistics {
                        writeln!(sink, "{}", statistics.table(look.unwrap_or(Look::PLAIN)))?;
                    }
                    if !is_quiet && summary.files > 0 {
                        writeln!(sink, "{summary}")?;
                    }
                }
                sink.close(
                    |out| {
                        if format.begins_last() { report.begin(summary, out) } else { Ok(()) }
                    },
                )
            },
        )
    }

    /// Whether something could not be written, though somebody was there to read it.
    pub(super) fn have_failed(&self) -> bool {
        let kinds = self.outputs.iter().filter_map(|output| output.sink.as_ref().err());
        kinds.into_iter().any(|kind| *kind != io::ErrorKind::BrokenPipe)
    }

    fn each(
        &mut self,
        mut write: impl FnMut(Format, &mut Report, &mut Sink) -> io::Result<()>,
    ) -> Result<(), Stopped> {
        self.each_with(|| (), |format, report, sink, ()| write(format, report, sink))
    }

    /// Does something with each output that can still be written to.
    fn each_with<T>(
        &mut self,
        mut next: impl FnMut() -> T,
        mut write: impl FnMut(Format, &mut Report, &mut Sink, T) -> io::Result<()>,
    ) -> Result<(), Stopped> {
        for Output { wanted, report, sink } in &mut self.outputs {
            let with = next();
            let Ok(open) = sink else { continue };
            if let Err(error) = write(wanted.format, report, open, with) {
                *sink = Err(wanted.fail(&error, self.console));
            }
        }
        let is_left = self.outputs.iter().any(|output| output.sink.is_ok());
        if is_left { Ok(()) } else { Err(Stopped) }
    }
}

impl Wanted {
    /// How its text looks.
    pub(super) fn look(&self, console: Console) -> Look {
        if self.path.is_none() { console.out } else { Look::PLAIN }
    }

    /// Says that it cannot be written, and tells what kind of failure that is. Nobody needs to know
    /// that he does not read on.
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

/// What takes the bytes of a report.
enum Sink {
    Standard(BufWriter<io::Stdout>),
    Lines(Lines),
    /// All of it, until it is complete.
    Spool {
        spool: SpooledTempFile,
        to: Destination,
    },
}

/// How much of a report is kept in memory; what goes beyond is kept in an unnamed file.
const IN_MEMORY: usize = 4 << 20;

impl Sink {
    fn open(wanted: &Wanted, interrupts: &Interrupts) -> io::Result<Self> {
        let format = wanted.format;
        let lines = |to| Lines::new(to, interrupts.clone());
        let to = match &wanted.path {
            Some(path) if format.is_read_along() => {
                return Ok(Self::Lines(lines(Box::new(create(path)?))));
            }
            Some(path) => Destination::of(path)?,
            None if format.begins_last() => Destination::Standard,
            None if format.is_read_along() => {
                return Ok(Self::Lines(lines(Box::new(io::stdout()))));
            }
            None => return Ok(Self::Standard(BufWriter::new(io::stdout()))),
        };
        Ok(Self::Spool { spool: SpooledTempFile::new(IN_MEMORY), to })
    }

    /// All has been written but what `begin` writes, which goes before it.
    fn close(&mut self, begin: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        let Self::Spool { spool, to } = self else { return self.flush() };
        spool.seek(SeekFrom::Start(0))?;
        to.put(|out| {
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
            Self::Spool { spool, .. } => spool.write(buffer).map_err(unkept),
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

/// Passes on whole lines only, so that what is there of an interrupted run can be read.
struct Lines {
    to: Box<dyn Write + Send>,
    interrupts: Interrupts,
    /// The beginning of the next line.
    rest: Vec<u8>,
}

impl Lines {
    fn new(to: Box<dyn Write + Send>, interrupts: Interrupts) -> Self {
        Self { to, interrupts, rest: Vec::new() }
    }
}

impl Write for Lines {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        let whole = memchr::memrchr(b'\n', buffer).map_or(0, |last| last + 1);
        let (lines, rest) = buffer.split_at(whole);
        if !lines.is_empty() {
            let Self { to, interrupts, rest } = self;
            // A signal that ends the program ends what is being written, too, wherever that is.
            interrupts.spare(|| {
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

/// Where a whole report goes.
pub(super) enum Destination {
    Standard,
    /// In place of the file, or as a new one.
    File(PathBuf),
    /// Into what is there: a device, a pipe, a file in a folder that takes no other.
    Existing(PathBuf),
}

impl Destination {
    /// Makes sure as early as possible that it can be written.
    pub(super) fn of(path: &Path) -> io::Result<Self> {
        let there = fs::metadata(path).ok();
        match &there {
            Some(there) if there.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            // A pipe is opened but once.
            Some(there) if !there.is_file() => return Ok(Self::Existing(path.to_owned())),
            Some(_) | None => {}
        }
        // A link stays one: what it leads to is replaced.
        let file = if there.is_some() { fs::canonicalize(path)? } else { path.to_owned() };
        make_folder(&file)?;
        match beside(&file) {
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
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        match self {
            Self::Standard => write(&mut BufWriter::new(io::stdout())),
            Self::Existing(path) => {
                let file = OpenOptions::new().write(true).truncate(true).open(path)?;
                write(&mut BufWriter::new(file))
            }
            Self::File(path) => {
                let file = beside(path)?;
                write(&mut BufWriter::new(&file))?;
                if let Ok(there) = fs::metadata(path) {
                    file.as_file().set_permissions(there.permissions())?;
                }
                file.persist(path)?;
                Ok(())
            }
        }
    }
}

/// A new file in the same folder, which goes away unless it is kept.
fn beside(path: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".acpcheck-").suffix(".tmp");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // Whatever the user's mask leaves of it, as for any other file.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder(path))
}

/// An empty file, and the folders that lead to it.
fn create(path: &Path) -> io::Result<File> {
    make_folder(path)?;
    File::create(path)
}

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

    fn planned(format: Option<Format>, reports: &[&str]) -> Result<Vec<String>, String> {
        let reports: Vec<_> =
            reports.iter().map(|report| Wanted::parse(report)).collect::<Result<_, _>>()?;
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
        assert_eq!(planned(Some(Format::Concise), &["github"]), both("concise"));
        assert_eq!(planned(Some(Format::Github), &[]), Ok(vec!["github".to_owned()]));
    }

    #[test]
    fn nothing_is_written_twice_to_one_place() {
        for (format, reports) in [
            (None, &["json", "sarif"][..]),
            (None, &["json", "github"]),
            (Some(Format::Full), &["json"]),
            (Some(Format::Json), &["github"]),
            (None, &["json=a", "sarif=a"]),
        ] {
            assert!(planned(format, reports).is_err(), "{format:?} {reports:?}");
        }
    }

    #[test]
    fn a_misspelt_format_is_put_right() {
        let error = Wanted::parse("sarfi=out").unwrap_err();
        assert_eq!(error, "there is no such format; did you mean `sarif`?");
        assert!(Wanted::parse("xml").unwrap_err().contains("junit"));
        assert!(Wanted::parse("json=").is_err());
    }

    /// Keeps the pieces that arrive.
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
        let mut lines = Lines::new(Box::new(pieces.clone()), Interrupts::unheeded());
        for piece in ["one\ntw", "o", "\n", "three\nfour\n", "fi"] {
            lines.write_all(piece.as_bytes()).expect("in memory");
        }
        assert_eq!(*pieces.0.lock().expect("nobody panics"), ["one\n", "two\n", "three\nfour\n"]);
    }
}
