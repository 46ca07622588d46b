/// <reference lib="dom" />
import type { Diagnostic, Unjudged } from "./report";

export type { Diagnostic, Unjudged } from "./report";
export type Side = "client" | "agent";
/** A message, alone or with the side that sends it. */
export type Message = object | readonly [Side, object];
/** The path of a file or a folder, the bytes of a recording, messages, or a recorder. */
export type Source = string | URL | Uint8Array | Iterable<Message> | Recorder;

/** What one message does that the protocol does not allow or does not recommend. */
export interface Finding extends Diagnostic {
  /** The file that it is in; `<stdin>` for bytes and messages. */
  path: string;
  /** The line in the recording, from 1. */
  line: number;
  /** The column in the line, from 1. */
  column: number;
}

/** The findings of one call, in the order of the messages. */
export interface Findings extends Array<Finding> {
  /** How many messages were read. */
  messages: number;
  /** What could not be judged. Where it is not 0, "no findings" does not mean that none are there. */
  unjudged: Unjudged;
}

/** The program cannot be run, or cannot read what it was given. */
export class AcpcheckError extends Error {}

/** A connection that is being recorded. */
export class Connection {
  /** The recording so far. A line that has no end yet is not in it. */
  get recording(): string;
  /** Records what a side has sent: a message, or bytes that begin and end anywhere in a line. */
  take(side: Side, sent: object | Uint8Array): void;
  /** Records that a side has closed its direction. */
  end(side: Side): void;
}

/** Records connections in memory. */
export class Recorder {
  /**
   * `folder`: where the recordings are written when they are checked; without it, they are kept no longer
   * than that takes.
   */
  constructor(options?: { folder?: string });
  readonly connections: readonly Connection[];
  /** Begins a connection, whose messages are told with `take` and `end`. */
  connect(): Connection;
  /**
   * Records a connection, and returns the stream to use from now on. `side` is the one that reads from
   * `stream.readable` and writes to `stream.writable`. Where both ends of a connection are in one process,
   * one end is enough.
   */
  stream<S extends { readable: ReadableStream<any>; writable: WritableStream<any> }>(stream: S, side: Side): S;
}

/**
 * Checks recordings, and resolves to all findings. `options`: further options of `acpcheck check`, such as
 * `["--side", "agent"]`. Rejects with `AcpcheckError` where something cannot be read.
 */
export function check(source: Source, options?: readonly string[]): Promise<Findings>;

/**
 * What `acpcheck check` shows of the source, if its exit status is 1; else `undefined`. `options` say what
 * makes it 1; without them, an error or something that was not judged.
 */
export function failure(source: Source, options?: readonly string[]): Promise<string | undefined>;

/** For `expect.extend` of vitest and jest. */
export const matchers: {
  toConformToAcp(received: Source, options?: readonly string[]): Promise<{ pass: boolean; message: () => string }>;
};
