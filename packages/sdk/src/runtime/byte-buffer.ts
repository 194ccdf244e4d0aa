/**
 * A buffer that grows by chunks. The first chunk is kept without a copy, later chunks are copied together: as a list of
 * chunks, a body in one-byte chunks would take a hundred times its size.
 */

const FIRST_CAPACITY = 4_096;

export class ByteBuffer {
  /** The first chunk itself while it is the only one, as for most bodies. */
  #bytes: Uint8Array | undefined;
  #length = 0;
  /** Whether `#bytes` is an array of this buffer. A chunk of the caller must not be written to. */
  #isOwn = false;

  get length(): number {
    return this.#length;
  }

  append(chunk: Uint8Array): void {
    if (this.#bytes === undefined) this.#bytes = chunk;
    else this.#copy(this.#bytes, chunk);
    this.#length += chunk.length;
  }

  /** All bytes so far. The array may share its memory with this buffer. */
  bytes(): Uint8Array {
    return this.#bytes?.subarray(0, this.#length) ?? new Uint8Array(0);
  }

  /** Returns all bytes and empties the buffer, so that the buffer no longer retains them. */
  take(): Uint8Array {
    const bytes = this.bytes();
    this.#bytes = undefined;
    this.#length = 0;
    this.#isOwn = false;
    return bytes;
  }

  #copy(bytes: Uint8Array, chunk: Uint8Array): void {
    const needed = this.#length + chunk.length;
    let target = bytes;
    if (!this.#isOwn || needed > bytes.length) {
      target = new Uint8Array(Math.max(FIRST_CAPACITY, needed, 2 * this.#length));
      target.set(bytes.subarray(0, this.#length));
      this.#bytes = target;
      this.#isOwn = true;
    }
    target.set(chunk, this.#length);
  }
}
