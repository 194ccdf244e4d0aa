/**
 * Makes a burst certain: what a server sends while it serves the bursting tool reaches the client in one piece, as it
 * would over a slow line, instead of in as many as the machine happens to make of it.
 */
export class Burst {
  #held: string | undefined;

  /** Takes note of what the client sends. */
  sent(text: string): void {
    if (text.includes('"name":"burst"')) this.#held = "";
  }

  /** What is to be passed on of what the server has sent: nothing until the result is there. */
  release(text: string): string {
    if (this.#held === undefined) return text;
    this.#held += text;
    // A result's text ends a burst; an error ends it as well.
    if (!/steps"|"error"|isError/.test(this.#held)) return "";
    const released = this.#held;
    this.#held = undefined;
    return released;
  }
}
