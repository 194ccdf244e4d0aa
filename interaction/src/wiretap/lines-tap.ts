/** The messages of a connection that has one per line. */
import { type ConnectionLog, noteMessage, type Side } from "../wire-log.js";
import { DEFAULT_REVISION, type OpenTapLog, type Tap } from "./tap.js";
import { TextSplitter } from "./text-splitter.js";

export class LinesTap implements Tap {
  readonly #openLog: OpenTapLog;
  readonly #client: TextSplitter;
  readonly #server: TextSplitter;
  #log: ConnectionLog | undefined;

  constructor(openLog: OpenTapLog) {
    this.#openLog = openLog;
    const note = (side: Side) => (line: string) => {
      this.#log ??= this.#openLog(DEFAULT_REVISION);
      noteMessage(this.#log, side, line);
    };
    this.#client = new TextSplitter("\n", note("client"));
    this.#server = new TextSplitter("\n", note("server"));
  }

  fromClient(bytes: Buffer): void {
    this.#client.push(bytes);
  }

  fromServer(bytes: Buffer): void {
    this.#server.push(bytes);
  }

  close(): void {
    // What no line feed ends is no message.
  }
}
