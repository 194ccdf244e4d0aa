/** Reads the messages of one direction of an HTTP/1.1 connection from its bytes: heads, bodies, and the parts of bodies that never end. */

export interface HttpHead {
  /** The request line or the status line. */
  readonly startLine: string;
  /** By lower-case name. */
  readonly headers: ReadonlyMap<string, string>;
}

export interface HttpListener {
  /** Returns whether a body may follow: some responses have none, whatever their headers say. */
  head(head: HttpHead): boolean;
  body(part: Buffer): void;
  end(): void;
}

const MAX_HEAD_BYTES = 1024 * 1024;

/** @throws from `push` for bytes that are not HTTP; nothing after them can be read. */
export class HttpReader {
  readonly #listener: HttpListener;
  #unread: Buffer = Buffer.alloc(0);
  /** Bytes of the body or chunk that are still to come; undefined while a head or the size of a chunk is read. */
  #left: number | undefined;
  #isChunked = false;

  constructor(listener: HttpListener) {
    this.#listener = listener;
  }

  push(bytes: Buffer): void {
    this.#unread = this.#unread.length === 0 ? bytes : Buffer.concat([this.#unread, bytes]);
    while (this.#step()) {
      // Each step takes something off what is unread.
    }
  }

  /** A response without a length ends with its connection. */
  close(): void {
    if (this.#left === Number.POSITIVE_INFINITY) this.#listener.end();
  }

  #step(): boolean {
    if (this.#left !== undefined) return this.#readBody(this.#left);
    return this.#isChunked ? this.#readChunkSize() : this.#readHead();
  }

  #readHead(): boolean {
    // The end of the chunks before.
    if (this.#unread.indexOf("\r\n") === 0) this.#take(2);
    const end = this.#unread.indexOf("\r\n\r\n");
    if (end < 0) {
      if (this.#unread.length > MAX_HEAD_BYTES) throw new Error("The head has no end");
      return false;
    }
    const [startLine = "", ...fields] = this.#take(end + 4)
      .toString("latin1")
      .trimEnd()
      .split("\r\n");
    if (!/^(?:HTTP\/1\.[01] \d{3}|[A-Z]+ \S+ HTTP\/1\.[01]$)/.test(startLine)) throw new Error("This is not HTTP/1.1");
    const headers = new Map(fields.map(splitField));
    const hasBody = this.#listener.head({ startLine, headers });
    const length = Number(
      headers.get("content-length") ?? (startLine.startsWith("HTTP") ? Number.POSITIVE_INFINITY : 0),
    );
    this.#isChunked = hasBody && headers.get("transfer-encoding") === "chunked";
    if (!this.#isChunked) this.#expect(hasBody ? length : 0);
    return true;
  }

  #readChunkSize(): boolean {
    const end = this.#unread.indexOf("\r\n");
    if (end < 0) return false;
    const line = this.#take(end + 2)
      .toString("latin1")
      .trim();
    // The end of the chunk before.
    if (line === "") return true;
    this.#isChunked = line !== "0";
    if (this.#isChunked) this.#left = Number.parseInt(line, 16);
    else this.#listener.end();
    return true;
  }

  #readBody(left: number): boolean {
    if (this.#unread.length === 0) return false;
    const part = this.#take(Math.min(left, this.#unread.length));
    this.#listener.body(part);
    this.#left = left - part.length;
    if (this.#left > 0) return true;
    this.#left = undefined;
    if (!this.#isChunked) this.#listener.end();
    return true;
  }

  #expect(length: number): void {
    if (length > 0) this.#left = length;
    else this.#listener.end();
  }

  #take(count: number): Buffer {
    const taken = this.#unread.subarray(0, count);
    this.#unread = this.#unread.subarray(count);
    return taken;
  }
}

function splitField(line: string): [string, string] {
  const colon = line.indexOf(":");
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
}
