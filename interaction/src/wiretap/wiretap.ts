/**
 * Hears every connection that the process of the tests opens: TCP and Unix sockets, whoever opens them, and the standard streams of
 * the programs it starts. Tests that join both sides by themselves are judged this way. Not heard: encrypted bytes, and connections
 * between other processes.
 */
import type { ChildProcess } from "node:child_process";
import { subscribe } from "node:diagnostics_channel";
import type { Server, Socket } from "node:net";
import type { Readable, Writable } from "node:stream";
import { ConnectionLog, type Side, type WireLog } from "../wire-log.js";
import { HttpTap } from "./http-tap.js";
import { LinesTap } from "./lines-tap.js";
import type { OpenTapLog, Tap } from "./tap.js";

/** A soak has more messages than a judge has time for. */
const MAX_MESSAGES = 2_000;
/** Where a client of the SDK opens its connections. */
const CLIENT_TRANSPORTS = "packages/sdk/src/transport/";
/** Programs that serve with the SDK. Those of a test's own are given as text. */
const SERVING_PROGRAM = /interaction\/(?:programs|src\/hostile)\//;
const STACK_FRAMES = 50;

let heardBy: WireLog | undefined;
let sessions = new Map<string, ConnectionLog>();
let isSubscribed = false;
const scriptedPorts = new Set<number>();

/** Has messages written into a log from now on, or nowhere. Tests of one worker run one after the other. */
export function tapInto(wire: WireLog | undefined): void {
  heardBy = wire;
  sessions = new Map();
  if (isSubscribed) return;
  isSubscribed = true;
  subscribe("net.client.socket", (message) => tapSocket((message as { socket: Socket }).socket));
  subscribe("child_process", (message) => tapProgram((message as { process: ChildProcess }).process));
}

/** Leaves a server unjudged that a test plays by itself. */
export function markScripted(server: Server): void {
  server.once("listening", () => {
    const address = server.address();
    if (typeof address !== "object" || address === null) return;
    scriptedPorts.add(address.port);
    server.once("close", () => scriptedPorts.delete(address.port));
  });
}

function tapSocket(socket: Socket): void {
  const isClientOurs = isOpenedBySdk();
  const judged = (): Side[] => [
    ...(isClientOurs ? (["client"] as const) : []),
    ...(scriptedPorts.has(socket.remotePort ?? 0) ? [] : (["server"] as const)),
  ];
  tapStreams(socket, socket, judged);
}

/** The streams of a program exist once it is spawned. */
function tapProgram(program: ChildProcess): void {
  const isClientOurs = isOpenedBySdk();
  const spawning = program as ChildProcess & { spawn(options: { args?: readonly string[] }): number };
  const spawn = spawning.spawn;
  spawning.spawn = (options) => {
    const outcome = spawn.call(program, options);
    const isServerOurs = options.args?.some((arg) => SERVING_PROGRAM.test(arg)) === true;
    const sides: Side[] = [];
    if (isClientOurs) sides.push("client");
    if (isServerOurs) sides.push("server");
    if (program.stdin && program.stdout) tapStreams(program.stdin, program.stdout, () => sides);
    return outcome;
  };
}

function isOpenedBySdk(): boolean {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = STACK_FRAMES;
  const { stack = "" } = new Error("where this connection is opened");
  Error.stackTraceLimit = limit;
  return stack.replaceAll("\\", "/").includes(CLIENT_TRANSPORTS);
}

/** Hears what is written to one stream and read from another. */
function tapStreams(toServer: Writable, fromServer: Readable, judged: () => readonly Side[]): void {
  const openLog: OpenTapLog = (revision) => {
    const log = new ConnectionLog(judged(), revision, false);
    heardBy?.connections.push(log);
    return log;
  };
  let tap: Tap | undefined;
  let isDeaf = false;
  const hear = (side: Side, bytes: Buffer) => {
    if (isDeaf || bytes.length === 0) return;
    try {
      tap ??= tapFor(side, bytes, openLog);
      if (side === "client") tap.fromClient(bytes);
      else tap.fromServer(bytes);
    } catch {
      // Raw peers send what no protocol has. The rest of the connection cannot be read.
      isDeaf = true;
    }
    isDeaf ||= heardBy === undefined || countOf(heardBy) > MAX_MESSAGES;
  };
  const hearWritten = (chunk: unknown, encoding: BufferEncoding) => {
    hear("client", typeof chunk === "string" ? Buffer.from(chunk, encoding) : Buffer.from(chunk as Uint8Array));
  };
  const { _write, _writev } = toServer;
  toServer._write = (chunk, encoding, done) => {
    hearWritten(chunk, encoding);
    _write.call(toServer, chunk, encoding, done);
  };
  toServer._writev = (chunks, done) => {
    for (const { chunk, encoding } of chunks) hearWritten(chunk, encoding);
    _writev?.call(toServer, chunks, done);
  };
  const { push } = fromServer;
  fromServer.push = (...args: unknown[]) => {
    // Buffers of sockets are not reused.
    if (args[0] instanceof Uint8Array) hear("server", Buffer.from(args[0]));
    return Reflect.apply(push, fromServer, args);
  };
  fromServer.once("close", () => tap?.close());
}

function countOf({ connections }: WireLog): number {
  return connections.reduce((count, { entries }) => count + entries.length, 0);
}

/** @throws {Error} when a connection begins with something else than lines or HTTP. */
function tapFor(side: Side, bytes: Buffer, openLog: OpenTapLog): Tap {
  const text = bytes.toString("latin1");
  if (/^\s*[[{]/.test(text)) return new LinesTap(openLog);
  if (side === "client" && /^[A-Z]+ /.test(text)) return new HttpTap(openLog, sessions);
  throw new Error("Neither lines nor HTTP");
}
