/** Parser for server-sent events. The caller bounds the bytes; the parser keeps one unfinished event. */

export interface StreamEvent {
  readonly event: string;
  readonly data: string;
  /** `undefined` if the event has no id line. */
  readonly id: string | undefined;
  readonly retry: string | undefined;
}

export class EventStreamParser {
  #rest = "";
  #data: string[] = [];
  #event = "";
  #id: string | undefined;
  #retry: string | undefined;
  #isStart = true;
  /** The rest ends with what may be the first half of CRLF. */
  #endsWithCr = false;

  /** The events that end within this piece of text. */
  push(text: string): StreamEvent[] {
    const events: StreamEvent[] = [];
    // A long line in small pieces is not searched again for each of them.
    if (!this.#isStart && !this.#endsWithCr && !/[\r\n]/.test(text)) {
      this.#rest += text;
      return events;
    }
    const pending = this.#rest + (this.#isStart ? text.replace(/^\uFEFF/, "") : text);
    this.#isStart = false;
    // A trailing CR may be the first half of CRLF.
    const lines = pending.split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop() ?? "";
    this.#endsWithCr = this.#rest.endsWith("\r");
    for (const line of lines) {
      const event = this.#readLine(line);
      if (event) events.push(event);
    }
    return events;
  }

  #readLine(line: string): StreamEvent | undefined {
    if (line === "") return this.#dispatch();
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "data") this.#data.push(value);
    else if (field === "event") this.#event = value;
    else if (field === "id") this.#id = value;
    else if (field === "retry") this.#retry = value;
    return undefined;
  }

  #dispatch(): StreamEvent | undefined {
    const isEmpty = this.#data.length === 0 && this.#id === undefined && this.#retry === undefined;
    const event = { event: this.#event || "message", data: this.#data.join("\n"), id: this.#id, retry: this.#retry };
    this.#data = [];
    this.#event = "";
    this.#id = undefined;
    this.#retry = undefined;
    return isEmpty ? undefined : event;
  }
}
