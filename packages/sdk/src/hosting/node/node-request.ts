/** `HttpRequest` over `node:http`: headers, client address and body. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { RequestLoad } from "../../dispatch/request-limits.js";
import { clientAddress, configuredAddress } from "../http/client-address.js";
import type { HttpHeaders, HttpRequest } from "../http/http-host.js";
import type { ArrivingBodies } from "../http/request-message.js";
import { BodyReader } from "./body-reader.js";
import { onClosed } from "./closed-response.js";
import type { ConnectionOutputs } from "./connection-output.js";
import { setPrincipal } from "./slow-readers.js";

const LOOPBACK = /^(?:::ffff:)?127\.|^::1$/;

/** Property of a socket for its `RequestLoad`. */
const LOAD = Symbol("requests in progress");

/** Property of a socket that caches the normalized address of its client. */
const ADDRESS = Symbol("address of the client");

/** Returns the client's address from a header that the proxy in front of the server sets. */
export type NodeClientAddress = (request: IncomingMessage) => string | readonly string[] | undefined;

/** The addresses of a request that came by another process. */
export interface RelayedAddresses {
  /** The address of the client. */
  clientAddress(request: IncomingMessage): string;
  /** The address at which the client has connected. */
  serverAddress(request: IncomingMessage): string;
}

export class NodeRequest implements HttpRequest {
  readonly parsedBody: unknown;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #bodies: ArrivingBodies;
  readonly #outputs: ConnectionOutputs;
  readonly #clientAddress: NodeClientAddress | undefined;
  readonly #relayed: RelayedAddresses | undefined;

  constructor(
    response: ServerResponse,
    parsedBody: unknown,
    bodies: ArrivingBodies,
    outputs: ConnectionOutputs,
    clientAddress?: NodeClientAddress,
    relayed?: RelayedAddresses,
  ) {
    this.#request = response.req;
    this.#response = response;
    this.parsedBody = parsedBody;
    this.#bodies = bodies;
    this.#outputs = outputs;
    this.#clientAddress = clientAddress;
    this.#relayed = relayed;
  }

  get method(): string {
    return String(this.#request.method);
  }

  /** False for Unix sockets: they have no address, and no web page can reach them. */
  get isLocal(): boolean {
    return LOOPBACK.test(this.#relayed?.serverAddress(this.#request) ?? this.#request.socket.localAddress ?? "");
  }

  setPrincipal(principal: string | undefined): void {
    setPrincipal(this.#request.socket, principal);
  }

  get address(): string | undefined {
    const configured = configuredAddress(
      this.#clientAddress?.(this.#request) ?? this.#relayed?.clientAddress(this.#request),
    );
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
    if (name === "authorization" || name === "host") return this.#all(name);
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
    const options = { maxBytes, principal, encoding, onText, onFailure };
    new BodyReader(this.#response, this.#bodies, this.#outputs, options).start();
  }

  /** All values of a header of which Node keeps only the first, which would hide that a request has several. */
  #all(name: "authorization" | "host"): string | undefined {
    const { headers, rawHeaders } = this.#request;
    const first = headers[name];
    if (first === undefined) return undefined;
    let values = first;
    let count = 0;
    for (let index = 0; index < rawHeaders.length; index += 2) {
      if (!isNamed(String(rawHeaders[index]), name)) continue;
      count += 1;
      if (count > 1) values += `, ${rawHeaders[index + 1]}`;
    }
    return values;
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
function isNamed(header: string, name: string): boolean {
  return header.length === name.length && header.toLowerCase() === name;
}

/** The address at which the client has reached this server. Unix sockets have none. */
function ownAuthority({ localAddress = "localhost", localPort = 80 }: Socket): string {
  return localAddress.includes(":") ? `[${localAddress}]:${localPort}` : `${localAddress}:${localPort}`;
}
