/**
 * The history of a run: clients write what they asked, got and heard, replicas what they served, the run what it broke. Each process
 * appends lines to a file of its own, so that a kill loses none.
 */
import { openSync, readdirSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";

export type Tool = "echo" | "count" | "ask" | "work" | "change" | "wait" | "resume";

/**
 * Whether an error says that the call was not served, or that it may have been. `unclear`: it says neither. `session lost`: the server
 * does not know the session any more, and the client does not open another one by itself.
 */
export type Verdict = "not served" | "may be served" | "unclear" | "session lost";

export type Fact =
  | { readonly kind: "asked"; readonly call: string; readonly client: string; readonly tool: Tool }
  /** `answers` is the call that the answer names, `run` the run of a handler that made it. */
  | { readonly kind: "answered"; readonly call: string; readonly answers: string; readonly run: string }
  | { readonly kind: "failed"; readonly call: string; readonly verdict: Verdict; readonly error: string }
  /** An answer to a call that the client has an answer to already. */
  | { readonly kind: "answered again"; readonly call: string }
  /** The client has given the call up. */
  | { readonly kind: "cancelled"; readonly call: string }
  /** A progress report, and the call that its text names. */
  | { readonly kind: "event"; readonly call: string; readonly of: string; readonly number: number }
  /** A handler began, and was aborted or came to its end. `events` is the number of its reports. */
  | {
      readonly kind: "began";
      readonly call: string;
      readonly client: string;
      readonly run: string;
      readonly replica: string;
    }
  | {
      readonly kind: "ran";
      readonly call: string;
      readonly run: string;
      readonly replica: string;
      readonly events: number;
    }
  | { readonly kind: "stopped"; readonly call: string; readonly run: string; readonly replica: string }
  /** The effect of a task, which its handler has once. */
  | { readonly kind: "effect"; readonly call: string; readonly run: string; readonly replica: string }
  /** An event of the GET stream of a session, by the number in its id. No number: the client opened the stream without one to resume after. */
  | { readonly kind: "stream event"; readonly client: string; readonly number?: number | undefined }
  | { readonly kind: "subscribed" | "unsubscribed" | "heard"; readonly client: string; readonly topic: string }
  /** The change was published. `topic` is "*" for changes that the bus has lost. */
  | { readonly kind: "changed"; readonly topic: string; readonly replica: string }
  | { readonly kind: "opened"; readonly client: string; readonly session: string; readonly replica: string }
  /** `resumed`: a frozen replica goes on. */
  | { readonly kind: "killed" | "frozen" | "resumed"; readonly replica: string }
  /** Faults begin and end. */
  | { readonly kind: "fault"; readonly name: string }
  /** Bytes of memory after a collection, at the begin and at the end of the calm. */
  | { readonly kind: "memory"; readonly process: string; readonly bytes: number }
  /** A key that was left in Redis, and the milliseconds to its expiry; -1 for none. */
  | { readonly kind: "key"; readonly key: string; readonly ttlMs: number };

/** Milliseconds since 1970 on the clock of the machine, which all processes share. */
export type Entry = Fact & { readonly at: number };

function now(): number {
  return performance.timeOrigin + performance.now();
}

export type Write = (fact: Fact) => void;

/** The line is in the file when this returns, so that it outlives a SIGKILL. */
export function historyWriter(folder: string, name: string): Write {
  const file = openSync(join(folder, `${name}.jsonl`), "a");
  return (fact) => void writeSync(file, `${JSON.stringify({ at: now(), ...fact })}\n`);
}

/** The complete lines of all files, by time. A kill may cut off the line that a process was writing. */
export function readHistory(folder: string): Entry[] {
  const lines = readdirSync(folder)
    .filter((name) => name.endsWith(".jsonl"))
    .flatMap((name) => readFileSync(join(folder, name), "utf8").split("\n").slice(0, -1));
  return lines.map((line) => JSON.parse(line) as Entry).sort((a, b) => a.at - b.at);
}
