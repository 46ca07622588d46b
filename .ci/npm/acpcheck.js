#!/usr/bin/env node
// Runs the native program that npm has installed for this platform, as if it had been started itself.
//
// Where Node can, the program takes the place of this process. Where it cannot, the program is a
// child, and this process does for it what a process that stands between two others can do:
// README.md says what then differs.
"use strict";

const fs = require("node:fs");
const { find, missing } = require("./program.js");

function fail(text) {
  process.stderr.write(`error: ${text}\n`);
  process.exit(2);
}

/**
 * The descriptors above 2 that this process was started with: a channel, a lock, a jobserver.
 *
 * Node marks them all to be closed in children and has some of its own among them. Those are no
 * files, the device null, or pipes of which both ends are here. A jobserver is such a pipe too, but
 * its ends are named.
 */
function inherited() {
  const jobserver = /--jobserver-(?:auth|fds)=(\d+),(\d+)/.exec(process.env.MAKEFLAGS ?? "");
  const named = jobserver ? [Number(jobserver[1]), Number(jobserver[2])] : [];
  const files = new Map();
  try {
    for (const entry of fs.readdirSync("/proc/self/fd")) {
      try {
        files.set(Number(entry), fs.readlinkSync(`/proc/self/fd/${entry}`));
      } catch {
        // The folder itself was open while it was read.
      }
    }
  } catch {
    return []; // not Linux
  }
  const uses = new Map();
  for (const file of files.values()) uses.set(file, (uses.get(file) ?? 0) + 1);
  const isOwn = (file) =>
    file.startsWith("anon_inode:") ||
    file === "/dev/null" ||
    (file.startsWith("pipe:") && uses.get(file) > 1);
  return [...files]
    .filter(([fd, file]) => fd > 2 && (named.includes(fd) || !isOwn(file)))
    .map(([fd]) => fd);
}

/** The environment with the channel that Node has taken out of it. */
function environment() {
  const fd = process.channel?.fd;
  return fd === undefined ? process.env : { ...process.env, NODE_CHANNEL_FD: String(fd) };
}

/** Ends as the program has ended. */
function end(code, signal) {
  if (signal === null) process.exit(code);
  // A listener that is taken away leaves the signal to the system, also where Node ignores it.
  try {
    process.once(signal, () => {});
    process.removeAllListeners(signal);
  } catch {
    // No process can listen for this one.
  }
  process.kill(process.pid, signal);
  // If the signal does not end a process, the status of a shell says what happened.
  setTimeout(() => process.exit(128 + require("node:os").constants.signals[signal]), 1000);
}

/**
 * A process of this group that gives back what it is given. It dies of a signal to the group, and so
 * tells it from one that reaches only this process.
 */
class Probe {
  constructor(spawn) {
    this.process = spawn("cat", [], { stdio: ["pipe", "pipe", "ignore"] });
    this.canTell = this.process.pid !== undefined;
    this.isAlive = this.canTell;
    this.ended = new Promise((resolve) => {
      for (const event of ["error", "exit"]) {
        this.process.on(event, () => {
          this.isAlive = false;
          resolve();
        });
      }
    });
    for (const pipe of [this.process.stdin, this.process.stdout]) pipe?.on("error", () => {});
  }

  /** Whether it lives through a signal of this moment. */
  async lives() {
    // One call of the system signals the processes of a group one after the other.
    await new Promise((resolve) => setTimeout(resolve, 10));
    if (!this.isAlive) return false;
    const answered = new Promise((resolve) => this.process.stdout.once("data", resolve));
    this.process.stdin.write("?");
    await Promise.race([answered, this.ended]);
    return this.isAlive;
  }

  /** Ends it, if a signal has not. */
  async end() {
    this.process.kill("SIGKILL");
    await this.ended;
  }
}

/** Runs the program as a child. */
function attend(program) {
  const { spawn } = require("node:child_process");
  const descriptors = inherited();
  const stdio = ["inherit", "inherit", "inherit"];
  for (const fd of descriptors) {
    while (stdio.length < fd) stdio.push("ignore");
    stdio[fd] = fd;
  }

  let probe;
  const pass = async (signal) => {
    const asked = probe;
    if (!asked.canTell || (await asked.lives())) child.kill(signal);
    else if (asked === probe) probe = new Probe(spawn);
  };
  if (process.platform !== "win32") {
    for (const signal of ["SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM", "SIGUSR1", "SIGUSR2"]) {
      process.on(signal, () => pass(signal));
    }
  } else {
    process.on("SIGINT", () => {}); // a console tells the program too
  }
  const child = spawn(program, process.argv.slice(2), { stdio, env: environment() });
  child.on("error", (error) => fail(`\`${program}\` cannot be started: ${error.message}`));
  child.on("exit", async (code, signal) => {
    await probe?.end();
    end(code, signal);
  });
  if (child.pid === undefined || process.platform === "win32") return;

  // The ends of pipes and locks are the program's alone, so that others see when it lets go of them.
  if (process.connected) process.disconnect();
  for (const fd of [...descriptors, 0, 1, 2]) {
    try {
      fs.closeSync(fd);
    } catch {
      // The channel has closed it.
    }
  }
  for (let fd = 0; fd <= 2; fd += 1) fs.openSync("/dev/null", "r+"); // each takes the lowest number
  probe = new Probe(spawn);
}

const program = find();
if (program === undefined) {
  fail(missing);
}
if (typeof process.execve === "function") {
  try {
    fs.accessSync(program, fs.constants.X_OK);
  } catch (error) {
    fail(`\`${program}\` cannot be started: ${error.message}`);
  }
  process.execve(program, [program, ...process.argv.slice(2)], process.env);
} else {
  attend(program);
}
