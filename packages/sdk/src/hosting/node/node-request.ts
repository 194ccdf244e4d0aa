/** `HttpRequest` over `node:http`: headers, client address, and the body within limits of size and time. */
import { isUtf8 } from "node:buffer";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { RequestLoad } from "../../dispatch/request-limits.js";
import { SdkError } from "../../errors/sdk-error.js";
import { ByteBuffer } from "../../runtime/byte-buffer.js";
import { clientAddress, configuredAddress } from "../http/client-address.js";
import type { HttpHeaders, HttpRequest } from "../http/http-host.js";
import { HttpRefusal } from "../http/http-refusal.js";
import { type ArrivingBodies, invalidUtf8, tooManyWaiting } from "../http/request-message.js";
import { onClosed } from "./closed-response.js";
import type { ConnectionOutputs } from "./connection-output.js";
import { serveAtEndOfTick } from "./end-of-tick-queue.js";
import { setPrincipal } from "./slow-readers.js";

const LOOPBACK = /^(?:::ffff:)?127\.|^::1$/;

/** Bodies up to this size do not count toward byte limits: counting would cost more than they take. */
const UNCOUNTED_BYTES = 4_096;

/** Property of a socket for its `RequestLoad`. */
const LOAD = Symbol("requests in progress");

/** Property of a socket that caches the normalized address of its client. */
const ADDRESS = Symbol("address of the client");

/** Returns the client's address from a header that the proxy in front of the server sets. */
export type NodeClientAddress = (request: IncomingMessage) => string | readonly string[] | undefined;

export class NodeRequest implements HttpRequest {
  readonly parsedBody: unknown;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #bodies: ArrivingBodies;
  readonly #outputs: ConnectionOutputs;
  readonly #clientAddress: NodeClientAddress | undefined;

  constructor(
    response: ServerResponse,
    parsedBody: unknown,
    bodies: ArrivingBodies,
    outputs: ConnectionOutputs,
    clientAddress?: NodeClientAddress,
  ) {
    this.#request = response.req;
    this.#response = response;
    this.parsedBody = parsedBody;
    this.#bodies = bodies;
    this.#outputs = outputs;
    this.#clientAddress = clientAddress;
  }

  get method(): string {
    return String(this.#request.method);
  }

  /** False for Unix sockets: they have no address, and no web page can reach them. */
  get isLocal(): boolean {
    return LOOPBACK.test(this.#request.socket.localAddress ?? "");
  }

  setPrincipal(principal: string | undefined): void {
    setPrincipal(this.#request.socket, principal);
  }

  get address(): string | undefined {
    const configured = configuredAddress(this.#clientAddress?.(this.#request));
    // Not cached: one connection of a proxy carries the requests of many clients.
    if (configured !== undefined) return configured;
    const socket: Socket & { [ADDRESS]?: string | undefined } = this.#request.socket;
    socket[ADDRESS] ??= clientAddress(socket.remoteAddress);
    return socket[ADDRESS];
  }

  get connection(): RequestLoad {
    const socket: Socket & { [LOAD]?: RequestLoad } = this.#request.socket;
    socket[LOAD] ??= { requests: 0, bytes: 0 };
    return socket[LOAD];
  }

  get isDisconnected(): boolean {
    return this.#response.destroyed || this.#request.socket.destroyed;
  }

  get url(): string {
    const { headers, socket, url } = this.#request;
    // Only HTTP/1.0 has requests without `Host`.
    return `${"encrypted" in socket ? "https" : "http"}://${headers.host ?? ownAuthority(socket)}${url}`;
  }

  get path(): string {
    const url = String(this.#request.url);
    const mark = url.indexOf("?");
    return mark < 0 ? url : url.slice(0, mark);
  }

  get query(): string {
    const url = String(this.#request.url);
    const mark = url.indexOf("?");
    return mark < 0 ? "" : url.slice(mark + 1);
  }

  header(name: string): string | undefined {
    if (name === "authorization") return this.#authorization();
    const value = this.#request.headers[name];
    return Array.isArray(value) ? value.join(", ") : value;
  }

  headers(): HttpHeaders {
    const headers: Record<string, string> = {};
    for (const name of Object.keys(this.#request.headers)) headers[name] = String(this.header(name));
    return headers;
  }

  readBody(
    maxBytes: number,
    principal: string | undefined,
    onText: (text: string, bytes: number) => void,
    onFailure: (error: unknown) => void,
    encoding: "utf8" | "latin1" = "utf8",
  ): void {
    const request = this.#request;
    const bodies = this.#bodies;
    const body = new ByteBuffer();
    let isLate = false;
    let isOver = false;
    let hasArrived = false;
    let bytes = 0;
    let counted = 0;
    const fail = (error: HttpRefusal) => {
      isOver = true;
      bodies.end(fail);
      bodies.shrink(principal, counted);
      request.off("data", onData).off("end", onEnd).off("close", onLost).pause();
      onFailure(error);
    };
    const count = () => {
      if (body.length <= UNCOUNTED_BYTES) return;
      const arrived = body.length - counted;
      const refusal = bodies.grow(principal, arrived);
      if (refusal) fail(refusal);
      else counted += arrived;
    };
    const onData = (chunk: Buffer) => {
      body.append(chunk);
      if (body.length > maxBytes) fail(HttpRefusal.tooLarge(maxBytes));
      else if (isLate) count();
    };
    const onEnd = () => {
      if (isLate) {
        bodies.end(fail);
        request.off("close", onLost);
      }
      // The bytes of a waiting request count like arriving bytes.
      count();
      if (isOver) return;
      const read = body.take();
      bytes = read.length;
      const buffer = Buffer.from(read.buffer, read.byteOffset, bytes);
      const text = buffer.toString(encoding);
      // Invalid bytes decode to U+FFFD; run `isUtf8` only if one is present.
      if (text.includes("\uFFFD") && !isUtf8(buffer)) fail(invalidUtf8());
      else if (!serveAtEndOfTick(principal ?? request.socket, serve, text)) fail(tooManyWaiting());
      else if (isPipelined(this.#response)) {
        hasArrived = true;
        this.#outputs.arrived(this.#response);
      }
    };
    // A body counts until its request is served, or its connection closes.
    const release = () => bodies.shrink(principal, counted);
    const serve = (text: string) => {
      const serveText = () => {
        release();
        this.#guard(() => onText(text, bytes), onFailure);
      };
      if (!hasArrived) serveText();
      else this.#outputs.serveWhenRead(this.#response, { serve: serveText, drop: release });
    };
    // A request that breaks off emits `close`, so `error` needs no listener.
    const onLost = () => fail(brokenOff());
    if (Number(request.headers["content-length"]) > maxBytes) onFailure(HttpRefusal.tooLarge(maxBytes));
    else if (request.readableEnded) onFailure(alreadyRead());
    else if (request.destroyed) onFailure(brokenOff());
    else {
      // By the next tick, a body that arrived with its head has been read. Any other body gets a time limit.
      process.nextTick(() => {
        if (request.complete || isOver) return;
        isLate = true;
        bodies.begin(fail);
        request.on("close", onLost);
        count();
      });
      request.on("data", onData).on("end", onEnd);
    }
  }

  /** All `Authorization` headers. Node keeps only the first, which would hide that a request has several. */
  #authorization(): string | undefined {
    const { headers, rawHeaders } = this.#request;
    const first = headers.authorization;
    if (first === undefined) return undefined;
    const values: string[] = [];
    for (let index = 0; index < rawHeaders.length; index += 2) {
      if (isAuthorization(String(rawHeaders[index]))) values.push(String(rawHeaders[index + 1]));
    }
    return values.length === 1 ? first : values.join(", ");
  }

  /** Catches exceptions of `serve`, so that other requests of the turn and of the connection are still served. */
  #guard(serve: () => void, onFailure: (error: unknown) => void): void {
    try {
      serve();
    } catch (error) {
      this.#fail(error, onFailure);
    }
  }

  /** Never throws. Destroys the connection if the refusal fails too. */
  #fail(error: unknown, onFailure: (error: unknown) => void): void {
    try {
      onFailure(error);
    } catch {
      this.#response.destroy();
    }
  }

  onDisconnect(listener: () => void): void {
    const response = this.#response;
    if (this.isDisconnected) {
      listener();
      return;
    }
    onClosed(response, () => {
      if (!response.writableEnded) listener();
    });
  }
}

/** Compares lengths first: most header names have another length. */
function isAuthorization(name: string): boolean {
  return name.length === 13 && name.toLowerCase() === "authorization";
}

/** The address at which the client has reached this server. Unix sockets have none. */
function ownAuthority({ localAddress = "localhost", localPort = 80 }: Socket): string {
  return localAddress.includes(":") ? `[${localAddress}]:${localPort}` : `${localAddress}:${localPort}`;
}

/** Node assigns the socket to a response once the earlier responses are sent. */
export function isPipelined(response: ServerResponse): boolean {
  return response.socket === null;
}

/** The refusal of a request whose client has disconnected. It has no body, since nobody reads it. */
function brokenOff(): HttpRefusal {
  return new HttpRefusal(400);
}

function alreadyRead(): SdkError {
  const message = "The body was read before the handler ran: pass what became of it as the handler's third argument";
  return new SdkError("invalid-argument", message);
}
