// Checks traffic of the Agent Client Protocol from JavaScript. The native program does the work.
"use strict";

const { spawn } = require("node:child_process");
const fs = require("node:fs/promises");
const os = require("node:os");
const path = require("node:path");
const { find, missing } = require("./program.js");

const SIDES = ["client", "agent"];

/** The name of the direction in which a side sends. */
function direction(side) {
  if (!SIDES.includes(side)) throw new TypeError(`a side is "client" or "agent", not ${JSON.stringify(side)}`);
  return side === "client" ? "c2a" : "a2c";
}

/** A connection that is being recorded, as `acpcheck record` does (`schema/record.schema.json`). */
class Connection {
  #lines = [];
  #unfinished = { c2a: [], a2c: [] };
  #ended = new Set();
  #began = performance.now();

  constructor() {
    const start = { type: "start", format: "acpcheck-record", version: 1, at: new Date().toISOString() };
    this.#lines.push(JSON.stringify(start));
  }

  /** The recording so far. A line that has no end yet is not in it. */
  get recording() {
    return this.#lines.join("\n") + "\n";
  }

  /** Records what a side has sent: a message, or bytes that begin and end anywhere in a line. */
  take(side, sent) {
    const dir = direction(side);
    if (!ArrayBuffer.isView(sent)) {
      this.#add(dir, `"msg":${JSON.stringify(sent)}`);
      return;
    }
    let rest = Buffer.from(new Uint8Array(sent.buffer, sent.byteOffset, sent.byteLength));
    for (let end = rest.indexOf(10); end !== -1; end = rest.indexOf(10)) {
      const line = Buffer.concat([...this.#unfinished[dir].splice(0), rest.subarray(0, end)]);
      const returns = line.at(-1) === 13;
      this.#line(dir, returns ? line.subarray(0, -1) : line, returns ? "\r\n" : undefined);
      rest = rest.subarray(end + 1);
    }
    if (rest.length > 0) this.#unfinished[dir].push(rest);
  }

  /** Records that a side has closed its direction. */
  end(side) {
    const dir = direction(side);
    if (this.#ended.has(dir)) return;
    this.#ended.add(dir);
    const rest = Buffer.concat(this.#unfinished[dir].splice(0));
    if (rest.length > 0) this.#line(dir, rest, "");
    this.#add(dir, '"event":"eof"');
  }

  #line(dir, line, end) {
    const eol = end === undefined ? "" : `"eol":${JSON.stringify(end)},`;
    let text;
    try {
      text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(line);
    } catch {
      this.#add(dir, `${eol}"base64":${JSON.stringify(line.toString("base64"))}`);
      return;
    }
    try {
      // Half of a surrogate pair, which not all readers decode, is written as an escape.
      if (/\\ud[89a-f]/.test(JSON.stringify(JSON.parse(text)))) throw new SyntaxError();
      this.#add(dir, `${eol}"msg":${text}`);
    } catch {
      this.#add(dir, `${eol}"text":${JSON.stringify(text)}`);
    }
  }

  #add(dir, members) {
    const since = ((performance.now() - this.#began) / 1000).toFixed(6);
    this.#lines.push(`{"t":${Number(since)},"dir":"${dir}",${members}}`);
  }
}

/** Records connections in memory. It can be given to `check` and to the matcher. */
class Recorder {
  connections = [];
  #folder;

  /** `folder`: where the recordings are written when they are checked. */
  constructor({ folder } = {}) {
    this.#folder = folder;
  }

  /**
   * Writes a file for each connection, and hands their paths to `use`. Without a folder of its own, the
   * recorder keeps the files no longer than that takes.
   */
  async written(use) {
    const folder = this.#folder ?? (await fs.mkdtemp(path.join(os.tmpdir(), "acpcheck-")));
    try {
      await fs.mkdir(folder, { recursive: true });
      const files = this.connections.map((_, index) => path.join(folder, `connection-${index + 1}.ndjson`));
      await Promise.all(files.map((file, index) => fs.writeFile(file, this.connections[index].recording)));
      return await use(files);
    } finally {
      if (this.#folder === undefined) await fs.rm(folder, { recursive: true, force: true });
    }
  }

  /** Begins a connection, whose messages are told with `take` and `end`. */
  connect() {
    const connection = new Connection();
    this.connections.push(connection);
    return connection;
  }

  /**
   * Records a connection, and returns the stream to use from now on. `side` is the one that reads from
   * `stream.readable` and writes to `stream.writable`: messages or bytes. Where both ends of a connection
   * are in one process, one end is enough.
   */
  stream(stream, side) {
    const other = SIDES.find((it) => it !== side);
    direction(side);
    const connection = this.connect();
    const records = (sender) =>
      new TransformStream({
        transform(chunk, controller) {
          connection.take(sender, chunk);
          controller.enqueue(chunk);
        },
        flush() {
          connection.end(sender);
        },
      });
    const sent = records(side);
    // Whoever writes is told of an error by the stream that is written to.
    sent.readable.pipeTo(stream.writable).catch(() => {});
    return { ...stream, readable: stream.readable.pipeThrough(records(other)), writable: sent.writable };
  }
}

/** Runs `acpcheck check`. Resolves to its exit status and what it has written. */
async function run(source, options) {
  const program = find();
  if (program === undefined) throw new AcpcheckError(missing);
  if (source instanceof Recorder) {
    return source.written((files) => started(program, [...options, "--", ...files]));
  }
  if (typeof source === "string") return started(program, [...options, "--", source]);
  if (source instanceof URL) return started(program, [...options, "--", require("node:url").fileURLToPath(source)]);
  if (ArrayBuffer.isView(source)) return started(program, [...options, "-"], source);
  const lines = Array.from(source, (message) => {
    const isPair = Array.isArray(message) && SIDES.includes(message[0]);
    return JSON.stringify(isPair ? { dir: direction(message[0]), msg: message[1] } : message) + "\n";
  });
  return started(program, [...options, "-"], lines.join(""));
}

function started(program, words, input = "") {
  return new Promise((resolve, reject) => {
    const child = spawn(program, ["check", ...words], { stdio: "pipe" });
    const [out, told] = [[], []];
    child.stdout.on("data", (chunk) => out.push(chunk));
    child.stderr.on("data", (chunk) => told.push(chunk));
    child.on("error", (error) => reject(new AcpcheckError(`\`${program}\` cannot be started: ${error.message}`)));
    child.on("close", (status) => {
      // 0 and 1: everything was read, without and with findings.
      if (status === 0 || status === 1) resolve({ status, text: Buffer.concat(out).toString() });
      else reject(new AcpcheckError(Buffer.concat(told).toString().trim() || `acpcheck ended with ${status}`));
    });
    child.stdin.on("error", () => {}); // the program may end before it has read everything
    child.stdin.end(input);
  });
}

/** The program cannot be run, or cannot read what it was given. */
class AcpcheckError extends Error {
  name = "AcpcheckError";
}

/** Checks recordings. Resolves to all findings. */
async function check(source, options = []) {
  const { text } = await run(source, ["--format", "json", ...options]);
  const report = JSON.parse(text);
  const findings = report.files.flatMap((file) =>
    file.diagnostics.map((found) => {
      const { line, column } = found.labels[0] ?? { line: 1, column: 1 };
      return { ...found, path: file.path, line, column };
    }),
  );
  const { messages, unjudged } = report.summary;
  return Object.assign(findings, { messages, unjudged });
}

/** What `acpcheck check` shows of the source, if its exit status is 1; else `undefined`. */
async function failure(source, options = ["--fail-on", "error,unjudged"]) {
  const { status, text } = await run(source, ["--format", "full", "--color", "never", ...options]);
  return status === 1 ? text : undefined;
}

/** For `expect.extend` of vitest and jest. */
const matchers = {
  async toConformToAcp(received, options) {
    const text = await failure(received, options);
    if (text === undefined) return { pass: true, message: () => "the recording conforms to the protocol" };
    return { pass: false, message: () => text };
  },
};

module.exports = { AcpcheckError, Connection, Recorder, check, failure, matchers };
