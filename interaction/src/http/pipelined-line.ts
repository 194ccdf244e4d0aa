/** A raw connection for many requests: they are written one after the other, and of the responses only the statuses are read. */
import { connect, type Socket } from "node:net";
import { withDeadline } from "../deadline.js";
import type { Post } from "./http-posts.js";

const DEADLINE_MS = 30_000;
const STATUS_LINE = "HTTP/1.1 ";
const STATUS_END = STATUS_LINE.length + 3;

/** A request as it goes over the wire. */
export function wireText({ headers, body, method: verb }: Pick<Post, "headers" | "body"> & { method: string }): string {
  const fields = { host: "127.0.0.1", "content-length": String(Buffer.byteLength(body)), ...headers };
  const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${verb} /mcp HTTP/1.1\r\n${head.join("")}\r\n${body}`;
}

export class PipelinedLine implements Disposable {
  /** How many responses of each status have begun. */
  readonly statuses: Map<string, number> = new Map();
  readonly #socket: Socket;
  #begun = 0;
  #awaited = 0;
  #onBegun: (() => void) | undefined;
  #tail = "";

  constructor(port: number) {
    this.#socket = connect(port, "127.0.0.1").setEncoding("latin1");
    // A connection that breaks delivers no more, and whoever waits for more is told so by a deadline.
    this.#socket.on("error", () => undefined);
    this.#socket.on("data", (text: string) => this.#read(this.#tail + text));
  }

  write(text: string): void {
    this.#socket.write(text);
  }

  /** Resolves when so many more responses have begun; all before the last of them are complete then. */
  async responses(count: number): Promise<void> {
    this.#awaited += count;
    if (this.#begun >= this.#awaited) return;
    const begun = new Promise<void>((resolve) => {
      this.#onBegun = resolve;
    });
    await withDeadline(begun, DEADLINE_MS, `waiting for ${count} responses`);
  }

  /** Breaks it off. A reset leaves no port behind that is closed for a minute. */
  [Symbol.dispose](): void {
    if (this.#socket.connecting) this.#socket.destroy();
    else this.#socket.resetAndDestroy();
  }

  #read(text: string): void {
    let end = 0;
    for (let at = text.indexOf(STATUS_LINE); at >= 0; at = text.indexOf(STATUS_LINE, end)) {
      if (at + STATUS_END > text.length) break;
      end = at + STATUS_END;
      const status = text.slice(at + STATUS_LINE.length, end);
      this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
      this.#begun += 1;
    }
    this.#tail = text.slice(Math.max(end, text.length - STATUS_END));
    if (this.#begun >= this.#awaited) this.#onBegun?.();
  }
}
