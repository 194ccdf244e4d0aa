/**
 * The messages in the requests and responses of one HTTP connection. The exchanges of a session have one log, since a response may
 * come by another connection than its request. Any other exchange has a log of its own.
 */
import { REVISIONS } from "parley-requirements";
import { type ConnectionLog, noteMessage } from "../wire-log.js";
import { type HttpHead, HttpReader } from "./http-reader.js";
import { DEFAULT_REVISION, type OpenTapLog, type Tap } from "./tap.js";
import { TextSplitter } from "./text-splitter.js";

interface Exchange {
  readonly verb: string;
  readonly log: ConnectionLog;
  readonly posted: Buffer[];
}

export class HttpTap implements Tap {
  readonly #openLog: OpenTapLog;
  readonly #sessions: Map<string, ConnectionLog>;
  /** Those without a whole response, oldest first. */
  readonly #exchanges: Exchange[] = [];
  readonly #requests: HttpReader;
  readonly #responses: HttpReader;
  #answered: Buffer[] = [];
  #events: TextSplitter | undefined;
  #isInterim = false;

  /** @param sessions the logs of sessions by their ids, shared by all connections of a test */
  constructor(openLog: OpenTapLog, sessions: Map<string, ConnectionLog>) {
    this.#openLog = openLog;
    this.#sessions = sessions;
    this.#requests = new HttpReader({
      head: (head) => {
        const [verb = ""] = head.startLine.split(" ");
        this.#exchanges.push({ verb, log: this.#logOf(head), posted: [] });
        return true;
      },
      body: (part) => this.#exchanges.at(-1)?.posted.push(part),
      end: () => {
        const exchange = this.#exchanges.at(-1);
        if (exchange) noteMessage(exchange.log, "client", Buffer.concat(exchange.posted).toString());
      },
    });
    this.#responses = new HttpReader({
      head: (head) => this.#beginResponse(head),
      body: (part) => {
        if (this.#events) this.#events.push(part);
        else this.#answered.push(part);
      },
      end: () => this.#endResponse(),
    });
  }

  fromClient(bytes: Buffer): void {
    this.#requests.push(bytes);
  }

  fromServer(bytes: Buffer): void {
    this.#responses.push(bytes);
  }

  close(): void {
    this.#responses.close();
  }

  #logOf({ startLine, headers }: HttpHead): ConnectionLog {
    const session = this.#sessions.get(headers.get("mcp-session-id") ?? sessionIn(startLine) ?? "");
    if (session) return session;
    const named = headers.get("mcp-protocol-version");
    return this.#openLog(REVISIONS.find((known) => known === named) ?? DEFAULT_REVISION);
  }

  #beginSession(id: string | undefined): void {
    const exchange = this.#exchanges[0];
    if (id !== undefined && exchange && !this.#sessions.has(id)) this.#sessions.set(id, exchange.log);
  }

  #beginResponse({ startLine, headers }: HttpHead): boolean {
    const status = startLine.slice("HTTP/1.1 ".length, "HTTP/1.1 200".length);
    this.#isInterim = status.startsWith("1");
    if (headers.get("content-type")?.startsWith("text/event-stream"))
      this.#events = new TextSplitter("\n\n", (event) => this.#noteEvent(event));
    this.#beginSession(headers.get("mcp-session-id"));
    const verb = this.#exchanges[0]?.verb;
    return !this.#isInterim && status !== "204" && status !== "304" && verb !== "HEAD" && verb !== "CONNECT";
  }

  #noteEvent(event: string): void {
    const data = event.split("\n").flatMap((line) => (line.startsWith("data:") ? [line.slice("data:".length)] : []));
    // The first event of HTTP+SSE tells the address of its session.
    this.#beginSession(sessionIn(data.join("\n")));
    noteMessage(this.#exchanges[0]?.log, "server", data.join("\n"));
  }

  #endResponse(): void {
    if (this.#isInterim) return;
    const exchange = this.#exchanges.shift();
    if (!this.#events) noteMessage(exchange?.log, "server", Buffer.concat(this.#answered).toString());
    this.#answered = [];
    this.#events = undefined;
  }
}

/** The session in an address of HTTP+SSE. */
function sessionIn(text: string): string | undefined {
  return /^(?:POST )?\s?\/\S*[?&]sessionId=([\w-]+)/.exec(text)?.[1];
}
