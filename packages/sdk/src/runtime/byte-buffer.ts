/**
 * Bytes gathered from chunks. A body that arrives in one-byte chunks would cost a hundred times its size as a list of
 * chunks, so all but the first are copied together.
 */

const FIRST_CAPACITY = 4_096;

export class ByteBuffer {
  /** The first chunk as it came: most bodies have no other. */
  #bytes: Uint8Array | undefined;
  #length = 0;
  #isOwn = false;

  get length(): number {
    return this.#length;
  }

  append(chunk: Uint8Array): void {
    if (this.#bytes === undefined) this.#bytes = chunk;
    else this.#copy(this.#bytes, chunk);
    this.#length += chunk.length;
  }

  /** All bytes so far. They may be shared with this buffer. */
  bytes(): Uint8Array {
    return this.#bytes?.subarray(0, this.#length) ?? new Uint8Array(0);
  }

  /** All bytes so far, which this buffer lets go of: whoever holds the buffer no longer holds them. */
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
