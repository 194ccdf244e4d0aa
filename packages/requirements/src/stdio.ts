/** Standard streams and sockets: framing, and the life of a child process. */
import { OVER_STDIO, type Requirement, type Requirements, type Strength } from "./requirement.js";

const PAGE = "https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio";

function spec(anchor: string, strength: Strength, behavior: string): Requirement {
  return { behavior, source: `${PAGE}#${anchor}`, strength, over: OVER_STDIO };
}

function decided(decision: string, behavior: string): Requirement {
  return { behavior, source: { decision }, strength: "decision", over: OVER_STDIO };
}

const framing: Requirements = {
  "transport:stdio:no-embedded-newlines": spec(
    "receiving-messages",
    "must",
    "Every message that either side writes is one line, also when its text holds line ends.",
  ),
  "transport:stdio:lines": decided(
    "stdio-lines",
    "Lines may end with CRLF, be blank, be cut anywhere and lack their end at the end of the stream.",
  ),
  "transport:stdio:unreadable-lines": decided(
    "stdio-lines",
    "A line that is no JSON, not UTF-8 or begins with a byte order mark is -32700 without an id, and the next is served.",
  ),
  "transport:stdio:line-limit": decided(
    "stdio-lines",
    "A line over the limit is answered -32600 once, without an id, and the next is served.",
  ),
  "transport:stdio:node-limit": decided(
    "json-nodes",
    "A line whose JSON is nested deeper or holds more than the limits is answered -32600 without an id, and the next is served.",
  ),
  "transport:stdio:queue-limit": decided(
    "stdio-lines",
    "A client whose server does not read gives it up at the limit, and what is pending rejects.",
  ),
  "transport:stdio:late-reader": decided(
    "late-readers",
    "A server serves no further request while answers over the limit wait for its client, and the client loses none of them.",
  ),
  "transport:stdio:noise": decided(
    "stdio-noise",
    "A line of a server's output that is no message is skipped and reported, and a client answers none, in either era.",
  ),
  "transport:stdio:unreadable-flood": decided(
    "unreadable-floods",
    "After 1,000 lines in a row that are no message a server answers once more and ends the connection.",
  ),
  "transport:stdio:noise-flood": decided(
    "unreadable-floods",
    "Of lines in a row that are no message a client reports 1,000, and the connection goes on.",
  ),
  "transport:stdio:client-writes-no-answers": {
    ...spec("sending-messages", "must", "A client of the modern era writes requests and notifications and no answers."),
    since: "2026-07-28",
  },
};

const serving: Requirements = {
  "transport:stdio:dual-era": spec(
    "request-metadata",
    "stated",
    "A server in a process of its own answers both eras on one pipe, each request as its own metadata says.",
  ),
  "transport:stdio:stream-purity": spec(
    "receiving-messages",
    "must",
    "A server's output carries messages alone: what its code prints goes to stderr, with one warning.",
  ),
  "transport:stdio:printing-before-and-after": decided(
    "stdio-stray-output",
    "Only while it is served is a server's stdout kept from its code.",
  ),
  "transport:stdio:end-of-input": spec(
    "shutdown",
    "should",
    "A process whose input ends exits soon, although a handler hangs and a timer goes on.",
  ),
  "transport:stdio:last-answers": decided(
    "stdio-end",
    "What is being served when the input ends is answered, and a subscription ends with its result.",
  ),
  "transport:stdio:signals": decided(
    "stdio-end",
    "A process that gets SIGTERM answers what it serves, then exits with 0.",
  ),
  "transport:stdio:parent-death": spec(
    "shutdown",
    "should",
    "A server exits when the process that started it is killed.",
  ),
};

const spawning: Requirements = {
  "transport:stdio": spec(
    "sending-messages",
    "must",
    "A client starts a server's program and calls it over its standard streams, in every revision.",
  ),
  "transport:stdio:clean-shutdown": spec(
    "shutdown",
    "should",
    "Closing a client ends its program's input, and the program exits by itself.",
  ),
  "transport:stdio:shutdown-escalation": spec(
    "shutdown",
    "should",
    "A program that ignores the end of its input is sent SIGTERM, and killed if it ignores that as well.",
  ),
  "transport:stdio:crash": spec(
    "unexpected-termination",
    "should",
    "When a program dies in the middle of a line, all that is pending rejects with its exit code and last words.",
  ),
  "transport:stdio:restart": spec(
    "unexpected-termination",
    "should",
    "A program that died is started again, calls go on, and subscriptions are restored.",
  ),
  "transport:stdio:close-ends-subscriptions": decided(
    "reconnecting",
    "Closing the client after its program died ends the loop of a subscription without an error, and starts no program.",
  ),
  "transport:stdio:argv": decided(
    "stdio-spawning",
    "Arguments reach a program as they are given, and no shell reads them.",
  ),
  "transport:stdio:default-env-safelist": decided(
    "stdio-spawning",
    "A program gets few variables of its parent's environment, and those that the caller names.",
  ),
  "transport:stdio:stderr-passthrough": decided(
    "stdio-spawning",
    "What a program writes to stderr is passed on, or handed to the caller in lines, and is no error.",
  ),
  "transport:stdio:spawn-failure": decided(
    "stdio-spawning",
    "A program that cannot be started rejects connecting with spawn-failed, which says what to check.",
  ),
  "transport:stdio:exits-on-probe": decided(
    "programs-that-exit-on-the-probe",
    "A program that exits when server/discover is its first message is started again with initialize, and clients after it begin with that.",
  ),
  "transport:stdio:exits-on-everything": decided(
    "programs-that-exit-on-the-probe",
    "A program that exits on both first messages rejects connecting with its last words and the option that pins a revision.",
  ),
  "client:connect:reported-once": decided(
    "one-report-per-failure",
    "A connection that is lost while it is opened rejects connecting and is not reported besides.",
  ),
  "transport:stdio:started-once": decided(
    "transports-are-used-once",
    "A transport that was started refuses another start, and its connection goes on.",
  ),
};

const sockets: Requirements = {
  "transport:socket:framing": decided(
    "sockets",
    "Several clients at once are served on a Unix socket and on a TCP port, in both eras.",
  ),
  "transport:socket:private": decided(
    "sockets",
    "A port is open to this machine and a socket file to its user alone, unless told otherwise.",
  ),
  "transport:socket:limit": decided(
    "connection-limits",
    "A client over the limit of connections, or of those of its address, is turned away with an error that says when to retry.",
  ),
  "transport:socket:silent": decided(
    "connection-limits",
    "A connection that sends no message is closed in time, and at the limit at once for a newcomer.",
  ),
  "transport:socket:stalled-reader": decided(
    "socket-queues",
    "A client that reads nothing of what is queued for it is disconnected after the stall limit.",
  ),
  "transport:socket:foreign-protocol": decided(
    "socket-lines",
    "A connection ends at its first line that is no JSON-RPC message, with one error; nothing of an HTTP request is served.",
  ),
  "transport:socket:stale-file": decided(
    "sockets",
    "A socket file is taken away at the end; one that nobody serves is replaced, one in use is not.",
  ),
  "transport:socket:turns": decided(
    "sockets",
    "A client that sends many calls at once is served a few milliseconds of them at a time, in their order, and others in between.",
  ),
  "transport:socket:half-closed": decided("sockets", "A client that ends its side gets the answers it waits for."),
};

export const stdio: Requirements = { ...framing, ...serving, ...spawning, ...sockets };
