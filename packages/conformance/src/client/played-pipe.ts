/** One run of a played server on standard streams: each line that it reads is a sighting, and replies become lines. */
import { EventStreamParser } from "../wire/event-stream.js";
import type { PlayedReply } from "../wire/http-listener.js";
import { LineSplitter } from "../wire/line-process.js";
import type { RelayedProgram, RelayHandlers } from "../wire/relay-listener.js";

/** How a program behaves apart from its answers. */
export interface PipeHabits {
  /** Goes on after the end of its input, until SIGTERM. */
  readonly ignoresEnd?: boolean;
  /** Exits this long after the end of its input. Default: at once. */
  readonly exitMs?: number;
  /** Written to standard error at the start. */
  readonly log?: string;
}

/** What a program on standard streams can see. A `rest` is text without a line end at the end of the input. */
export type PipeEvent = "start" | "line" | "rest" | "end" | "signal" | "gone";

export class PlayedPipe implements RelayHandlers {
  readonly #program: RelayedProgram;
  readonly #hear: (event: PipeEvent, text: string) => Promise<PlayedReply | undefined>;
  readonly #habits: PipeHabits;
  readonly #splitter: LineSplitter;

  constructor(
    program: RelayedProgram,
    habits: PipeHabits,
    hear: (event: PipeEvent, text: string) => Promise<PlayedReply | undefined>,
  ) {
    this.#program = program;
    this.#habits = habits;
    this.#hear = hear;
    const giveUp = () => program.exit(1);
    this.#splitter = new LineSplitter((line) => void this.#answer(line), giveUp, giveUp);
    void hear("start", "");
    if (habits.log !== undefined) program.log(habits.log);
  }

  readonly onText = (text: string): void => this.#splitter.push(text);

  readonly onEnd = (): void => {
    const { rest } = this.#splitter;
    if (rest !== "") void this.#hear("rest", rest);
    void this.#hear("end", "");
    if (this.#habits.ignoresEnd) return;
    if (this.#habits.exitMs === undefined) this.#program.exit(0);
    else setTimeout(() => this.#program.exit(0), this.#habits.exitMs).unref();
  };

  readonly onSignal = (name: string): void => {
    void this.#hear("signal", name);
    this.#program.exit(0);
  };

  readonly onGone = (): void => void this.#hear("gone", "");

  async #answer(line: string): Promise<void> {
    const reply = await this.#hear("line", line);
    if (!reply) return;
    for await (const text of outputOf(reply)) this.#program.write(text);
    if (reply.ending === "reset") this.#program.exit(1);
  }
}

/** The messages of a reply as lines: a JSON body is one, each event of a stream is one, and plain text is written as it is. */
async function* outputOf({ headers, body }: PlayedReply): AsyncIterable<string> {
  const type = headers["content-type"];
  if (type === "text/event-stream") {
    const parser = new EventStreamParser();
    for await (const piece of typeof body === "string" ? [body] : body)
      for (const { data } of parser.push(String(piece))) if (data !== "") yield `${data}\n`;
  } else if (typeof body === "string" && body !== "") {
    yield type === "text/plain" ? body : `${body}\n`;
  }
}
