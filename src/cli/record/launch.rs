//! Starts the side process, hands it the connection, and becomes the agent.

use std::{
    env,
    ffi::OsString,
    fs::{self, File},
    io::{self, IoSlice, Read, Write},
    mem::MaybeUninit,
    os::{
        fd::{AsFd, OwnedFd},
        unix::{net::UnixStream, process::CommandExt},
    },
    path::Path,
    process::{Command, Stdio},
};

use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};

use super::{MIDDLE, place, side};
use crate::cli::{console::Console, exit_status::ExitStatus};

/// Makes the file `path`, starts to record the connection in it, and replaces this process by the
/// agent. Returns only when the agent could not be started.
pub(super) fn record(path: &Path, agent: &[OsString], console: &Console) -> ExitStatus {
    let [program, arguments @ ..] = agent else { return ExitStatus::Failed };
    let name = place::agent_name(program);
    let (file, path) = match place::make(path, &name) {
        Ok(made) => made,
        Err(why) => return fail(&why, console),
    };
    let handed = match hand_over(&file, &name, arguments.len()) {
        Ok(Some(handed)) => handed,
        failed => {
            // Nothing is recorded, so nothing is left behind.
            let _ = fs::remove_file(&path);
            let why = failed.err().map(|error| format!(": {error}")).unwrap_or_default();
            return fail(
                &format!("recording cannot begin{why}; the agent is not started"),
                console,
            );
        }
    };
    drop(file);
    let Handed { mut socket, stdin, stdout } = handed;
    let status = become_agent(agent, Some((stdin, stdout)), console);
    // The side process records it, and closes the socket when that is done.
    let _ = socket.write_all(&[status]);
    let _ = socket.read_to_end(&mut Vec::new());
    ExitStatus::NotStarted(status)
}

fn fail(why: &str, console: &Console) -> ExitStatus {
    console.error(why);
    ExitStatus::Failed
}

/// Replaces this process by the agent, with `streams` as its standard input and output if given.
/// Returns only when that fails: the status to exit with, 126 or 127.
pub(super) fn become_agent(
    agent: &[OsString],
    streams: Option<(OwnedFd, OwnedFd)>,
    console: &Console,
) -> u8 {
    let [program, arguments @ ..] = agent else { return side::NOT_FOUND };
    let mut command = Command::new(program);
    command.args(arguments);
    if let Some((stdin, stdout)) = streams {
        command.stdin(stdin).stdout(stdout);
    }
    let error = command.exec();
    console.error(&format!("cannot start `{}`: {error}", program.display()));
    if error.kind() == io::ErrorKind::NotFound { side::NOT_FOUND } else { side::NOT_EXECUTABLE }
}

/// What the first process, which becomes the agent, keeps after another process has taken the
/// client's connection to record it.
struct Handed {
    /// The socket to the recording process; the system closes it when the agent starts.
    socket: UnixStream,
    /// The pipe's end that becomes the agent's standard input; `stdout` becomes its standard
    /// output.
    stdin: OwnedFd,
    stdout: OwnedFd,
}

/// Starts the process that records, and sends it the client's streams and the recording's file.
/// `arguments` is the number of arguments of the agent's command. Returns `None` when that process
/// has printed on standard error why it cannot record, and an error when it cannot be started.
fn hand_over(file: &File, agent: &str, arguments: usize) -> io::Result<Option<Handed>> {
    let (stdin, agent_in) = io::pipe()?;
    let (agent_out, stdout) = io::pipe()?;
    let (mut socket, other) = UnixStream::pair()?;
    let mut command = Command::new(env::current_exe()?);
    command.args([MIDDLE, agent]).arg(arguments.to_string());
    command.stdin(OwnedFd::from(other)).stdout(Stdio::null()).current_dir("/");
    let middle = command.spawn();
    // It has a copy of the socket. With it closed, the end of the side process can be seen.
    drop(command);
    let mut middle = middle?;

    let (client_in, client_out) = (io::stdin(), io::stdout());
    let descriptors =
        [client_in.as_fd(), client_out.as_fd(), agent_in.as_fd(), agent_out.as_fd(), file.as_fd()];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(5))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    control.push(SendAncillaryMessage::ScmRights(&descriptors));
    let sent = sendmsg(&socket, &[IoSlice::new(b"r")], &mut control, SendFlags::empty());
    let is_open = sent.is_ok() && socket.read_exact(&mut [0]).is_ok();
    // A client that ignores the end of children has none to wait for.
    let _ = middle.wait();
    Ok(is_open.then(|| Handed { socket, stdin: stdin.into(), stdout: stdout.into() }))
}
