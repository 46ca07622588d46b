//! The side process, which records the connection beside the agent, and the process that starts it.

use std::{
    env,
    ffi::OsString,
    fs::{File, OpenOptions},
    io::{self, IoSliceMut, Read, Write},
    mem::MaybeUninit,
    os::{
        fd::{AsFd, OwnedFd},
        unix::net::UnixStream,
    },
    process::{Command, Stdio},
};

use rustix::{
    net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg},
    process::setsid,
    stdio,
};

use super::{
    SIDE,
    pump::{Direction, Pump},
    writer::Recorder,
};
use crate::{
    cli::{console::Console, exit_status::ExitStatus},
    protocol::Side,
};

/// Exit status when the program of the agent does not exist, as `env` and shells use it.
pub(super) const NOT_FOUND: u8 = 127;
/// Exit status when the program of the agent exists and cannot be executed, as `env` and shells use
/// it.
pub(super) const NOT_EXECUTABLE: u8 = 126;

/// Starts the recording process in a session of its own and ends, so that the agent has no child
/// that it did not start.
pub(super) fn middle(arguments: &[OsString]) -> ExitStatus {
    match start(arguments) {
        Ok(()) => ExitStatus::Clean,
        Err(error) => fail(&format!("the side process cannot be started: {error}")),
    }
}

fn start(arguments: &[OsString]) -> io::Result<()> {
    // Descriptors that the client gave to the agent are none of the side process's.
    close_fds::set_fds_cloexec(3, &[]);
    setsid()?;
    let program = env::current_exe()?;
    // It has the socket as its standard input.
    Command::new(program).arg(SIDE).args(arguments).stdout(Stdio::null()).spawn()?;
    Ok(())
}

/// Runs the recording process: receives the connection over the socket at standard input, and
/// records it to its end.
pub(super) fn side(arguments: &[OsString]) -> ExitStatus {
    let [agent, arguments] = arguments else { return fail("the side process lacks arguments") };
    let arguments = arguments.to_str().and_then(|number| number.parse().ok()).unwrap_or_default();
    match serve(&agent.to_string_lossy(), arguments) {
        Ok(()) => ExitStatus::Clean,
        Err(error) => fail(&format!("the recording cannot be written: {error}")),
    }
}

fn serve(agent: &str, arguments: usize) -> io::Result<()> {
    let mut socket = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    let null = OpenOptions::new().read(true).write(true).open("/dev/null")?;
    let Some([client_in, client_out, agent_in, agent_out, file]) = receive(&socket)? else {
        // The first process was ended.
        return Ok(());
    };
    stdio::dup2_stdin(&null)?;
    let recorder = Recorder::begin(File::from(file), agent, arguments, None)?;
    let pump = Pump::new(recorder, null.into());
    let directions = [
        Direction { sender: Side::Client, from: client_in, to: agent_in },
        Direction { sender: Side::Agent, from: agent_out, to: client_out },
    ];
    pump.run(directions, || {
        let mut status = [0];
        // The end of the socket means that the agent has started, or that the first process was ended.
        let is_told = socket.write_all(b"r").and_then(|()| socket.read_exact(&mut status));
        if is_told.is_ok() {
            pump.recorder().not_started(status[0]);
        }
        is_told.is_err()
    })
}

/// Receives the client's two streams, the agent's two streams and the recording's file over the
/// socket. `None` when the first process ended before it sent them.
fn receive(socket: &UnixStream) -> io::Result<Option<[OwnedFd; 5]>> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(5))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let mut byte = [0];
    recvmsg(socket, &mut [IoSliceMut::new(&mut byte)], &mut control, RecvFlags::empty())?;
    let received = control.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(descriptors) => Some(descriptors.collect::<Vec<_>>()),
        _ => None,
    });
    Ok(received.and_then(|descriptors| descriptors.try_into().ok()))
}

fn fail(why: &str) -> ExitStatus {
    Console::print(&format!("error: {why}"));
    ExitStatus::Failed
}
