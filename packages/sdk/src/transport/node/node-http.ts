/** HTTP calls over Node's own client with kept-alive connections: a sixth of what the built-in `fetch` costs per call. */
import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import { concatenate, tooLarge } from "../http/body-bytes.js";
import type { HttpAnswer, HttpCall, SendHttp } from "../http/http-call.js";

/** Below what servers usually allow (5 s and up), so that no call goes out on a connection that is just being closed. */
const IDLE_MS = 4_000;
/** A response that ends by then leaves its connection usable for the next call. */
const DRAIN_MS = 1_000;

/** A sender with connections of its own. Idle ones do not keep the process alive. */
export function nodeHttp(): SendHttp {
  const http = { request: requestHttp, agent: new HttpAgent({ keepAlive: true, timeout: IDLE_MS }) };
  const https = { request: requestHttps, agent: new HttpsAgent({ keepAlive: true, timeout: IDLE_MS }) };
  return (call) => send(call, call.url.protocol === "https:" ? https : http);
}

interface Client {
  readonly request: typeof requestHttp;
  readonly agent: HttpAgent;
}

function send({ method, url, headers, body, signal }: HttpCall, { request, agent }: Client): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const sent = request(url, { method, headers, agent });
    let ending: { destroy(error: Error): unknown } = sent;
    const abort = () => ending.destroy(signal.reason);
    signal.addEventListener("abort", abort);
    sent.on("close", () => signal.removeEventListener("abort", abort));
    sent.on("error", reject);
    sent.on("socket", (socket) => socket.off("error", ignore).on("error", ignore));
    sent.on("response", (response) => {
      ending = response;
      resolve(new NodeAnswer(response));
    });
    sent.end(body);
  });
}

/**
 * For what a connection says once it has brought its answer, such as that the peer has reset it while the body was still
 * being sent: Node then has nobody else to tell and ends the process. Calls get errors of their own.
 */
const ignore = () => undefined;

class NodeAnswer implements HttpAnswer {
  readonly status: number;
  readonly #response: IncomingMessage;

  constructor(response: IncomingMessage) {
    // A response always has one; only requests, which share the type, do not.
    this.status = response.statusCode as number;
    this.#response = response;
  }

  header(name: string): string | undefined {
    const value = this.#response.headers[name];
    return Array.isArray(value) ? value.join(", ") : value;
  }

  body(maxBytes: number): Promise<Uint8Array> {
    const response = this.#response;
    const parts: Uint8Array[] = [];
    let size = 0;
    return new Promise((resolve, reject) => {
      response.on("error", reject);
      response.on("end", () => resolve(concatenate(parts, size)));
      response.on("data", (chunk: Uint8Array) => {
        parts.push(chunk);
        size += chunk.byteLength;
        if (size > maxBytes) response.destroy(tooLarge(maxBytes));
      });
    });
  }

  chunks(): AsyncIterable<Uint8Array> {
    return { [Symbol.asyncIterator]: () => this.#response.iterator({ destroyOnReturn: false }) };
  }

  discard(): void {
    const response = this.#response;
    const timer = setTimeout(() => response.destroy(), DRAIN_MS).unref();
    response.on("close", () => clearTimeout(timer));
    // What breaks from here on, nobody waits for.
    response.on("error", () => undefined);
    response.resume();
  }
}
