/** HTTP client over a standard `fetch`: the platform's, or the application's. */
import { ByteBuffer } from "../../runtime/byte-buffer.js";
import type { HttpAnswer, SendHttp } from "./http-call.js";
import { responseTooLarge } from "./http-error.js";

/** The part of `fetch` that is used: any function that takes these arguments and returns a `Response`. */
export type Fetch = (url: URL, init: FetchInit) => Promise<Response>;

/** The second argument that a `Fetch` gets. */
export interface FetchInit {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly redirect: "manual";
  readonly signal: AbortSignal;
  readonly body?: string;
}

export function fetchHttp(fetch: Fetch): SendHttp {
  return async ({ method, url, headers, body, controller }) => {
    const init: FetchInit = { method, headers: { ...headers }, redirect: "manual", signal: controller.signal };
    return new FetchAnswer(await fetch(url, body === undefined ? init : { ...init, body }));
  };
}

class FetchAnswer implements HttpAnswer {
  readonly status: number;
  readonly #response: Response;

  constructor(response: Response) {
    this.status = response.status;
    this.#response = response;
  }

  header(name: string): string | undefined {
    return this.#response.headers.get(name) ?? undefined;
  }

  async body(maxBytes: number): Promise<Uint8Array> {
    const body = new ByteBuffer();
    for await (const chunk of this.chunks()) {
      body.append(chunk);
      if (body.length > maxBytes) throw responseTooLarge(maxBytes);
    }
    return body.bytes();
  }

  async *chunks(): AsyncIterable<Uint8Array> {
    const reader = this.#response.body?.getReader();
    if (reader === undefined) return;
    try {
      for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value;
    } finally {
      reader.releaseLock();
    }
  }

  discard(): void {
    // `cancel` rejects for a body that has failed. Its reader has received that error.
    this.#response.body?.cancel().catch(() => undefined);
  }
}
