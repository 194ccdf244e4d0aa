/** A server of HTTP+SSE, the transport of 2024-11-05: it refuses POSTs at its URL, and answers on one event stream. */
import type { PlayedReply } from "../wire/http-listener.js";
import { empty, event, eventStream } from "./replies.js";
import { requestsOf, type Sighting } from "./sighting.js";
import type { PlayStage } from "./stage.js";

export interface SseHabits {
  /** The status of POSTs at the URL of the server. */
  readonly refusal: 400 | 404 | 405;
  /** The data of the endpoint event, once the servers are open. */
  readonly endpoint: () => string;
  /** Events ahead of the endpoint event. */
  readonly ahead?: string;
  /** A request of the server, sent ahead of the first list of tools. */
  readonly asks?: string;
}

export class PlayedSse {
  readonly #habits: SseHabits;
  readonly #answer: PlayStage;
  /** Written to the stream that was opened last. */
  #push: (text: string) => void = () => undefined;
  #hasAsked = false;

  /** `answer` is a server without sessions, which sees every message as one at its own path. */
  constructor(habits: SseHabits, answer: PlayStage) {
    this.#habits = habits;
    this.#answer = answer;
  }

  async play(sighting: Sighting): Promise<PlayedReply> {
    const { origin, verb, path } = sighting;
    if (origin !== "mcp") return empty(404);
    if (verb === "GET" && path === "/mcp") return eventStream(this.#stream(), "open");
    if (verb !== "POST") return empty(405);
    if (isUrlOfServer(path))
      return {
        status: this.#habits.refusal,
        headers: { "content-type": "text/plain" },
        body: "This is not the endpoint",
      };
    return this.#accept(sighting);
  }

  async *#stream(): AsyncIterable<string> {
    const waiting: string[] = [];
    let wake: () => void = () => undefined;
    this.#push = (text) => {
      waiting.push(text);
      wake();
    };
    yield `${this.#habits.ahead ?? ""}${event(this.#habits.endpoint(), { event: "endpoint" })}`;
    for (;;) {
      yield waiting.splice(0).join("");
      // A stream that its client has left waits here until it is collected.
      if (waiting.length === 0)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  }

  async #accept(sighting: Sighting): Promise<PlayedReply> {
    const { asks } = this.#habits;
    if (asks !== undefined && !this.#hasAsked && requestsOf([sighting], "tools/list").length > 0) {
      this.#hasAsked = true;
      this.#push(event(asks, { event: "message" }));
    }
    const { body } = await this.#answer({ ...sighting, path: "/mcp" });
    if (typeof body === "string" && body !== "") this.#push(event(body, { event: "message" }));
    return { status: 202, headers: { "content-type": "text/plain" }, body: "Accepted" };
  }
}

function isUrlOfServer(path: string): boolean {
  return path === "/mcp" || path.startsWith("/mcp?");
}
