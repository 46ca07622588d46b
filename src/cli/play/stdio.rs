//! The connection of the agent: standard input and output, and the recording.
//!
//! One thread reads, records and judges. One writes, so that no scenario waits for a client that reads
//! nothing. The agent answers in the thread that the program begins with.

use std::{
    env,
    io::{self, Read, Write},
    path::PathBuf,
    process,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
        mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender},
    },
    thread,
    time::{Duration, Instant},
};

use super::{Arguments, Chosen, choose, heard::number, menu, recorded};
use crate::{
    cli::{
        console::Console,
        exit_status::ExitStatus,
        interrupts::Interrupts,
        record::{place, writer::Recorder},
        scenarios::{drawn_number, run_number},
    },
    play::{Agent, Found, Link, PLAYBACK, PlayOptions, Played, Wire},
    protocol::Side,
    record::{Driven, End},
    source::printable,
};

/// How often the agent looks for interrupts while no message comes.
const TICK: Duration = Duration::from_millis(20);
/// How long the agent waits at the end of the connection for its threads to record and write what
/// remains.
const END: Duration = Duration::from_millis(600);
/// Most bytes of a line that is taken as a message; a longer line is recorded only.
const LONGEST_MESSAGE: usize = 64 << 20;
/// Most bytes that may wait for the client to read them. While there are more, nothing is read from
/// the client.
const MOST_UNREAD: usize = 64 << 20;
/// How many times as long as a program a person may take to answer.
const PATIENCE: u32 = 20;

/// How long a client that a run has started, without a person, may take to cancel a turn.
const NO_STOP: Duration = Duration::from_secs(5);
/// How often an agent of a run looks whether the run wants it to end.
const LOOK: Duration = Duration::from_millis(200);

/// The hidden option `--part`, by which a run tells an agent, started by the client, what to play.
struct Part {
    run: String,
    scenario: Vec<Chosen>,
    /// The path of the recording that the agent is to write.
    file: PathBuf,
    /// The path of the script that started the agent. The agent ends when the script is removed.
    command: PathBuf,
}

impl Part {
    fn of(arguments: &Arguments) -> Option<Self> {
        let [run, scenario, file, command] = &arguments.part[..] else { return None };
        Some(Self {
            run: run.to_string_lossy().into_owned(),
            scenario: match &*scenario.to_string_lossy() {
                PLAYBACK => vec![Chosen::Playback],
                name => choose(name).into_iter().collect(),
            },
            file: file.into(),
            command: command.into(),
        })
    }

    /// Whether the run that started this agent wants it to end.
    fn is_over(&self) -> bool {
        !self.command.exists()
    }
}

/// A message from the thread that reads standard input to the agent.
enum Input {
    /// Lines that arrived together, each with the findings of the rules about it.
    Lines(Vec<(Vec<u8>, Vec<Found>)>),
    /// The client has closed the connection: no input follows.
    End,
}

/// The agent's side of the connection: standard output, and the recording of both directions.
struct Stdio {
    recorder: Option<Recorder>,
    /// The channel to the thread that writes standard output; `None` when the connection has ended.
    output: Option<Sender<Vec<u8>>>,
    unread: Arc<AtomicUsize>,
}

impl Wire for Stdio {
    fn record(&mut self, sender: Side, bytes: &[u8]) {
        if let Some(recorder) = &mut self.recorder {
            // An error of writing has ended the recording.
            let _ = recorder.take(sender, bytes);
        }
    }

    fn send(&mut self, bytes: Vec<u8>) {
        if let Some(output) = &self.output {
            self.unread.fetch_add(bytes.len(), Ordering::SeqCst);
            // When the writer has gone, the client reads no more.
            let _ = output.send(bytes);
        }
    }

    fn scenario(&mut self, played: &Played) {
        if let Some(recorder) = &mut self.recorder {
            recorder.scenario(played.name, played.state, &played.step);
        }
    }

    fn end(&mut self, sender: Side, end: End) {
        if sender == Side::Agent {
            self.output = None;
        }
        if let Some(recorder) = &mut self.recorder {
            // An error of writing has ended the recording.
            let _ = recorder.end(sender, end);
        }
    }
}

impl Drop for Stdio {
    fn drop(&mut self) {
        if let Some(recorder) = &mut self.recorder {
            recorder.close();
        }
    }
}

/// Plays the agent on standard input and output until the client closes the connection. Returns the
/// exit status.
pub(super) fn play(arguments: &Arguments, console: &Console) -> io::Result<ExitStatus> {
    let interrupts = Interrupts::catch()?;
    interrupts.defer();
    let config = match arguments.reporting.load() {
        Ok(config) => config,
        Err(error) => return Ok(error.report(console)),
    };
    let fail = |why: &str| {
        console.error(why);
        Ok(ExitStatus::Failed)
    };
    let playback = match recorded::read(arguments, &config) {
        Ok(playback) => playback,
        Err(why) => return fail(&why),
    };
    let part = Part::of(arguments);
    let own = if playback.is_some() { vec![Chosen::Playback] } else { arguments.scenario.clone() };
    let scenarios = part.as_ref().map_or(&*own, |part| &part.scenario);
    let menu = match menu(scenarios) {
        Ok(menu) => menu,
        Err(why) => return fail(&why),
    };
    let output = part.as_ref().map(|part| part.file.clone());
    let output = output.or_else(|| Some(arguments.output.as_ref()?.join("")));
    let made = output.map(|path| place::make(&path, "acpcheck")).transpose();
    let file = match made {
        Ok(file) => file,
        Err(why) => return fail(&why),
    };
    let (run, process) = match (&part, &file) {
        (Some(part), Some((_, path))) => (part.run.clone(), number(&part.file, path)),
        _ => (run_number(), 1),
    };
    let names: Vec<_> = scenarios.iter().map(|it| it.name()).collect();
    let scenario = if names.is_empty() { "by-prompt".to_owned() } else { names.join(",") };
    let driven = Driven {
        run: &run,
        scenario: &scenario,
        process,
        plays: Side::Agent,
        ends_anywhere: false,
        left_out: &[],
    };
    let begin = |(file, path)| -> Result<_, String> {
        let recorder = Recorder::begin(file, "acpcheck", 0, Some(&driven));
        let recorder = recorder.map_err(|error| format!("cannot write the recording: {error}"))?;
        Ok((recorder, path))
    };
    let (recorder, path): (Option<Recorder>, Option<PathBuf>) = match file.map(begin).transpose() {
        Ok(recording) => recording.unzip(),
        Err(why) => return fail(&why),
    };
    let path = path.map(|path| path.display().to_string());
    let name = path.clone().unwrap_or_else(|| "connection".to_owned());
    let settings = config.settings(&name);
    let unread = Arc::new(AtomicUsize::new(0));
    let (output, to_write) = mpsc::channel();
    let wire = Stdio { recorder, output: Some(output), unread: Arc::clone(&unread) };
    let link = Arc::new(Link::new(Box::new(wire), &settings, &driven));
    let writer = {
        let unread = Arc::clone(&unread);
        thread::spawn(move || write(&to_write, &unread))
    };
    let is_over = Arc::new(AtomicBool::new(false));
    let (hand_on, input) = mpsc::sync_channel(16);
    {
        let (link, is_over) = (Arc::clone(&link), Arc::clone(&is_over));
        thread::spawn(move || read(&link, &hand_on, &unread, &is_over));
    }
    let (patience, stop_within) = patience(arguments.timeout, part.is_none());
    let options = PlayOptions {
        newest: arguments.protocol,
        menu,
        timeout: arguments.timeout,
        patience,
        stop_within,
        cwd: env::current_dir().unwrap_or_default().to_string_lossy().into_owned(),
        seed: drawn_number(),
        recording: path,
        playback,
    };
    let mut agent = Agent::new(Arc::clone(&link), options);
    serve(&mut agent, &input, &interrupts, part.as_ref());
    is_over.store(true, Ordering::SeqCst);
    let deadline = Instant::now() + END;
    let until = |is_done: &dyn Fn() -> bool| {
        while !is_done() && Instant::now() < deadline {
            thread::sleep(TICK / 4);
        }
    };
    agent.end();
    link.hang_up();
    until(&|| link.is_idle());
    let found = link.finish();
    until(&|| writer.is_finished());
    if part.is_none() && !arguments.reporting.is_quiet() {
        tell(&link, &found, &name);
    }
    interrupts.release();
    Ok(ExitStatus::Clean)
}

/// How long an answer and the stop of a turn may take that a person has to give. Without a person,
/// the client of a run gives both.
fn patience(timeout: Duration, has_person: bool) -> (Duration, Duration) {
    if has_person {
        (timeout * PATIENCE, timeout * PATIENCE)
    } else {
        (timeout, timeout.min(NO_STOP))
    }
}

/// Answers the client's messages until the client closes the connection, the user interrupts the
/// program, or the run wants its end.
fn serve(agent: &mut Agent, input: &Receiver<Input>, interrupts: &Interrupts, part: Option<&Part>) {
    let mut looked = Instant::now();
    while !interrupts.is_asked() {
        if looked.elapsed() > LOOK {
            looked = Instant::now();
            if part.is_some_and(Part::is_over) {
                return;
            }
        }
        match input.recv_timeout(TICK) {
            Ok(Input::Lines(lines)) => {
                for (line, found) in lines {
                    agent.take(&line, &found);
                }
            }
            Err(RecvTimeoutError::Timeout) => agent.tick(),
            Ok(Input::End) | Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

/// Reads standard input, has each line recorded and checked, and passes the lines to the agent.
/// Stops reading while the client leaves too much output unread.
fn read(link: &Link, hand_on: &SyncSender<Input>, unread: &AtomicUsize, is_over: &AtomicBool) {
    let mut stdin = io::stdin().lock();
    let mut chunk = vec![0; 64 << 10];
    let mut line = Vec::new();
    let mut is_too_long = false;
    loop {
        while unread.load(Ordering::SeqCst) > MOST_UNREAD && !is_over.load(Ordering::SeqCst) {
            thread::sleep(TICK);
        }
        let count = match stdin.read(&mut chunk) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => break,
        };
        let mut lines = Vec::new();
        for part in chunk[..count].split_inclusive(|byte| *byte == b'\n') {
            line.extend_from_slice(part);
            if part.ends_with(b"\n") {
                let found = link.hear(&line);
                if std::mem::take(&mut is_too_long) {
                    // The agent takes a line that is too long as one that is not a message.
                    line = b"...".to_vec();
                }
                if !line.trim_ascii().is_empty() {
                    lines.push((std::mem::take(&mut line), found));
                }
                line.clear();
            } else if line.len() > LONGEST_MESSAGE {
                is_too_long = true;
                link.hear(&line);
                line.clear();
            }
        }
        if !lines.is_empty() && hand_on.send(Input::Lines(lines)).is_err() {
            return;
        }
    }
    link.end_client(&line);
    // The agent may be gone.
    let _ = hand_on.send(Input::End);
}

/// Writes the bytes from the channel to standard output until the channel is closed or the client
/// reads no more.
fn write(lines: &Receiver<Vec<u8>>, unread: &AtomicUsize) {
    let mut stdout = io::stdout().lock();
    for line in lines {
        // The client reads no more.
        if stdout.write_all(&line).and_then(|()| stdout.flush()).is_err() {
            return;
        }
        unread.fetch_sub(line.len(), Ordering::SeqCst);
    }
}

/// Prints the findings about the client and a summary on standard error, at the end of a
/// connection.
fn tell(link: &Link, found: &[Found], name: &str) {
    for Found { rule, severity, message, line, .. } in found {
        let text = format!("{name}:{line}: {}[{rule}] {message}", severity.name());
        Console::print(&printable(&text));
    }
    Console::print(&format!("acpcheck play ({}): {}", process::id(), link.summary()));
}
