/**
 * Reads HTTP/1.1 responses off a connection that has one request at a time on its way. Knows just enough to cost less
 * than the fastest server does: a status, a length or chunks, and a body.
 */
export interface RawResponse {
  readonly status: number;
  /** Chunks already put together. */
  readonly body: Buffer;
}

/** How the end of a body is found: its number of bytes, or a last chunk. */
interface Head {
  readonly status: number;
  readonly length: number | "chunked";
  readonly bodyAt: number;
}

const HEAD_END = "\r\n\r\n";
const LAST_CHUNK = "0\r\n\r\n";

export class ResponseReader {
  #parts: Buffer[] = [];
  #size = 0;
  #head: Head | undefined;

  /**
   * Takes what the socket read; returns the response once it is complete.
   * @throws {Error} if the bytes are no response, or more than one.
   */
  receive(chunk: Buffer): RawResponse | undefined {
    this.#parts.push(chunk);
    this.#size += chunk.length;
    this.#head ??= readHead(this.#joined());
    if (this.#head === undefined) return undefined;
    const { status, length, bodyAt } = this.#head;
    const body = length === "chunked" ? this.#chunkedBody(bodyAt) : this.#plainBody(bodyAt, length);
    if (body === undefined) return undefined;
    this.#parts = [];
    this.#size = 0;
    this.#head = undefined;
    return { status, body };
  }

  #plainBody(at: number, length: number): Buffer | undefined {
    if (this.#size < at + length) return undefined;
    if (this.#size > at + length) throw new Error(`${this.#size - at - length} bytes too many after the response`);
    return this.#joined().subarray(at);
  }

  /** Looks only where the last chunk may just have arrived: large answers come in many reads. */
  #chunkedBody(at: number): Buffer | undefined {
    const bytes = this.#endsWithLastChunk() ? this.#joined() : undefined;
    return bytes && dechunk(bytes, at);
  }

  #endsWithLastChunk(): boolean {
    const last = this.#parts.at(-1);
    const tail = last && last.length >= LAST_CHUNK.length ? last : this.#joined();
    return tail.subarray(-LAST_CHUNK.length).toString("latin1") === LAST_CHUNK;
  }

  #joined(): Buffer {
    const [only, second] = this.#parts;
    if (only !== undefined && second === undefined) return only;
    const joined = Buffer.concat(this.#parts, this.#size);
    this.#parts = [joined];
    return joined;
  }
}

function readHead(bytes: Buffer): Head | undefined {
  const end = bytes.indexOf(HEAD_END);
  if (end < 0) return undefined;
  const head = bytes.toString("latin1", 0, end);
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]);
  if (Number.isNaN(status)) throw new Error(`expected a response, got ${head.slice(0, 80)}`);
  const bodyAt = end + HEAD_END.length;
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length !== undefined) return { status, length: Number(length), bodyAt };
  if (/\r\ntransfer-encoding: *chunked/i.test(head)) return { status, length: "chunked", bodyAt };
  throw new Error(`a response with neither a length nor chunks: ${head}`);
}

/** Undefined if the last chunk has not arrived: what looked like it was within another. */
function dechunk(bytes: Buffer, start: number): Buffer | undefined {
  const chunks: Buffer[] = [];
  let at = start;
  while (at < bytes.length) {
    const lineEnd = bytes.indexOf("\r\n", at);
    const size = lineEnd < 0 ? Number.NaN : Number.parseInt(bytes.toString("latin1", at, lineEnd), 16);
    if (Number.isNaN(size)) throw new Error(`expected the size of a chunk at byte ${at}`);
    const dataAt = lineEnd + 2;
    if (size === 0) {
      if (dataAt + 2 < bytes.length) throw new Error(`${bytes.length - dataAt - 2} bytes too many after the response`);
      return chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
    }
    chunks.push(bytes.subarray(dataAt, dataAt + size));
    at = dataAt + size + 2;
  }
  return undefined;
}
