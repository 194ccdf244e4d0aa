/**
 * A client of a legacy session by bare requests. It records the number of each event of its GET stream, and resumes the stream after the
 * last one, which clients of SDKs do not show.
 */
import { setTimeout as wait } from "node:timers/promises";
import type { Verdict } from "../history.js";
import { CALL_TIMEOUT_MS, type Connect, contentOf, verdictOfCode, verdictOfStatus } from "./load-client.js";

const REVISION = "2025-11-25";
const RETRY_MS = 100;
/** The server knows the stream, and does not have all events since. */
const CANNOT_RESUME = 400;

class Refused extends Error {
  readonly verdict: Verdict;

  constructor(verdict: Verdict, message: string) {
    super(message);
    this.verdict = verdict;
  }
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly uri?: string };
  readonly result?: object;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

interface ServerEvent {
  readonly id: string;
  readonly message: Message | undefined;
}

export const connect: Connect = async (url, name, _onAnswerAgain, onStream = () => undefined) => {
  const headers: Record<string, string> = { "x-client": name, accept: "application/json, text/event-stream" };
  const closing = new AbortController();
  let nextId = 1;

  const post = async (message: object, signal?: AbortSignal): Promise<Response> => {
    const response = await fetch(url, {
      method: "POST",
      signal: AbortSignal.any([...(signal ? [signal] : []), AbortSignal.timeout(CALL_TIMEOUT_MS)]),
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", ...message }),
    });
    if (response.ok) return response;
    throw new Refused(verdictOfStatus(response.status), `${response.status} ${await response.text()}`);
  };

  const request = async (method: string, params: object, signal?: AbortSignal): Promise<object> => {
    const id = nextId;
    nextId += 1;
    const response = await post({ id, method, params }, signal);
    const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
    const message = isStream ? await answerIn(response, id) : ((await response.json()) as Message);
    if (message?.error) throw new Refused(verdictOfCode(message.error.code, message.error.data), message.error.message);
    if (message?.result === undefined) throw new Refused("may be served", "The stream ended without an answer");
    return message.result;
  };

  const initialize = { protocolVersion: REVISION, capabilities: {}, clientInfo: { name, version: "1.0.0" } };
  const opened = await post({ id: 0, method: "initialize", params: initialize });
  await opened.text();
  headers["mcp-session-id"] = opened.headers.get("mcp-session-id") ?? "";
  headers["mcp-protocol-version"] = REVISION;
  await post({ method: "notifications/initialized" });

  const listen = async (onHeard: (topic: string) => void): Promise<void> => {
    let last = "";
    while (!closing.signal.aborted) {
      try {
        const resumed = last === "" ? {} : { "last-event-id": last };
        const response = await fetch(url, { headers: { ...headers, ...resumed }, signal: closing.signal });
        if (response.status === CANNOT_RESUME) last = "";
        if (response.ok && last === "") onStream(undefined);
        if (response.ok) {
          for await (const { id, message } of events(response)) {
            last = id === "" ? last : id;
            if (message === undefined) continue;
            onStream(Number(id.split(".").at(-1)));
            if (message.params?.uri !== undefined) onHeard(message.params.uri);
          }
        } else await response.text();
      } catch {
        // The connection has broken. The next one resumes the stream.
      }
      await wait(RETRY_MS);
    }
  };

  return {
    tools: ["change", "echo"],
    call: async (tool, call, { signal }) =>
      contentOf(await request("tools/call", { name: tool, arguments: { call } }, signal)),
    watch: async (topics, onHeard) => {
      for (const uri of topics) await request("resources/subscribe", { uri });
      void listen(onHeard);
    },
    verdictOf: (error) => (error instanceof Refused ? error.verdict : "may be served"),
    close: async () => {
      closing.abort();
      await fetch(url, { method: "DELETE", headers });
    },
  };
};

async function answerIn(response: Response, id: number): Promise<Message | undefined> {
  for await (const { message } of events(response)) if (message?.id === id) return message;
  return undefined;
}

async function* events(response: Response): AsyncGenerator<ServerEvent> {
  let text = "";
  for await (const bytes of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
    text += bytes;
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) {
      const data = /^data: (.+)$/m.exec(block)?.[1];
      const id = /^id: (.*)$/m.exec(block)?.[1] ?? "";
      // A message of the server, whose members are optional.
      yield { id, message: data === undefined ? undefined : (JSON.parse(data) as Message) };
    }
  }
}
