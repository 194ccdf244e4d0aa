/** HTTP calls over Node's own client with kept-alive connections: a sixth of what the built-in `fetch` costs per call. */
import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, request as requestHttp } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import type { LookupFunction } from "node:net";
import { urlToHttpOptions } from "node:url";
import { ByteBuffer } from "../../runtime/byte-buffer.js";
import type { RunningCall } from "../http/call-handle.js";
import type { HttpAnswer, HttpCall, SendHttp } from "../http/http-call.js";
import { responseTooLarge } from "../http/http-error.js";

/** Below what servers usually allow (5 s and up), so that no call goes out on a connection that is just being closed. */
const IDLE_MS = 4_000;
/** A response that ends by then leaves its connection usable for the next call. */
const DRAIN_MS = 1_000;

/** A sender with connections of its own. Idle ones do not keep the process alive. `lookup` resolves host names. */
export function nodeHttp(options: { readonly lookup?: LookupFunction } = {}): SendHttp {
  const http = { request: requestHttp, agent: new HttpAgent({ keepAlive: true, timeout: IDLE_MS, ...options }) };
  const https = { request: requestHttps, agent: new HttpsAgent({ keepAlive: true, timeout: IDLE_MS, ...options }) };
  // The URL of an endpoint stays as it is and is called often, so it is taken apart once.
  const targets = new WeakMap<URL, Target>();
  return (call) => {
    let target = targets.get(call.url);
    if (target === undefined) {
      target = targetOf(call.url, call.url.protocol === "https:" ? https : http);
      targets.set(call.url, target);
    }
    return send(call, target);
  };
}

interface Client {
  readonly request: typeof requestHttp;
  readonly agent: HttpAgent;
}

interface Target extends Client {
  readonly host: string;
  readonly hostname: string | null | undefined;
  readonly port: string | number | null | undefined;
  readonly path: string | null | undefined;
}

function targetOf(url: URL, { request, agent }: Client): Target {
  const { hostname, port, path } = urlToHttpOptions(url);
  return { request, agent, host: url.host, hostname, port, path };
}

function send(call: HttpCall, { request, agent, host, hostname, port, path }: Target): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const { method, body, handle } = call;
    handle.throwIfEnded();
    const sent = request({ agent, hostname, port, path, method, headers: headersOf(call, host) });
    const running = new NodeCall(sent);
    handle.runs(running);
    sent.on("error", reject);
    sent.on("socket", (socket) => socket.off("error", ignore).on("error", ignore));
    sent.on("response", (response) => {
      running.response = response;
      resolve(new NodeAnswer(response));
    });
    sent.end(body);
  });
}

/** Headers that Node makes something of, where the application gives them, but only if they are given in an object. */
const MEANT_FOR_NODE = ["host", "content-length", "transfer-encoding"];

/** Names and values in turn cost Node a fraction of what an object does, but must be complete. */
function headersOf({ headers, body }: HttpCall, host: string): string[] | Record<string, string> {
  if (MEANT_FOR_NODE.some((name) => headers[name] !== undefined)) return headers;
  const list = ["host", host];
  for (const name of Object.keys(headers)) list.push(name, headers[name] as string);
  if (body !== undefined) list.push("content-length", String(Buffer.byteLength(body)));
  return list;
}

class NodeCall implements RunningCall {
  readonly #request: ClientRequest;
  response: IncomingMessage | undefined;
  #sent: Promise<void> | undefined;

  constructor(request: ClientRequest) {
    this.#request = request;
  }

  end(reason: Error): void {
    (this.response ?? this.#request).destroy(reason);
  }

  sent(): Promise<void> {
    const request = this.#request;
    if (request.writableFinished || request.destroyed || this.response) return Promise.resolve();
    this.#sent ??= new Promise((resolve) => {
      for (const event of ["finish", "response", "close"]) request.on(event, resolve);
    });
    return this.#sent;
  }
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
    const body = new ByteBuffer();
    return new Promise((resolve, reject) => {
      response.on("error", reject);
      response.on("end", () => resolve(body.bytes()));
      response.on("data", (chunk: Uint8Array) => {
        body.append(chunk);
        if (body.length > maxBytes) response.destroy(responseTooLarge(maxBytes));
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
