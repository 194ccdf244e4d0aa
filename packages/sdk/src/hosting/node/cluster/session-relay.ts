/**
 * Passes requests of a legacy session on to the worker that has the session. A session id begins with the number of its worker. Each
 * worker listens on a socket in a folder that only its user can open. Requests without a session never take this way.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { pipeline } from "node:stream";
import { HttpHeader } from "../../../protocol/http-headers.js";
import { listening } from "../listening.js";
import type { RelayedAddresses } from "../node-request.js";

/** Passes requests of sessions on to the processes that have them. An option of `serveHttp`; `clusterBackend` makes one. */
export interface SessionRelay extends RelayedAddresses {
  /** Passes a request on if its session belongs to another process. Otherwise, or if that process has ended, calls `serve`. */
  relay(request: IncomingMessage, response: ServerResponse, serve: () => void): void;
  /** Serves the requests that other processes pass on. Returns a function that ends this. */
  accept(serve: (request: IncomingMessage, response: ServerResponse) => void): Promise<() => Promise<void>>;
}

/** Hexadecimal digits at the start of a session id. */
const PREFIX_DIGITS = 4;
const WORKERS = 0x1_0000;
const CLIENT_HEADER = "parley-client-address";
const SERVER_HEADER = "parley-server-address";
/** Headers of one connection. Node sets those of the next one. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "transfer-encoding",
  "expect",
  CLIENT_HEADER,
  SERVER_HEADER,
]);

/** The first digits of the session ids of a worker. */
export function sessionIdPrefix(workerId: number): string {
  return (workerId % WORKERS).toString(16).padStart(PREFIX_DIGITS, "0");
}

/** Loaded when needed: stdio servers import this module too, and start faster without `node:http`. */
function nodeHttp(): typeof import("node:http") {
  return process.getBuiltinModule("node:http");
}

export class WorkerRelay implements SessionRelay {
  readonly #folder: string;
  readonly #prefix: string;

  constructor(folder: string, prefix: string) {
    this.#folder = folder;
    this.#prefix = prefix;
  }

  relay(request: IncomingMessage, response: ServerResponse, serve: () => void): void {
    const owner = ownerOf(request);
    if (owner === undefined || owner === this.#prefix) {
      serve();
      return;
    }
    // The body waits until there is a connection. Without one, this process answers that it does not know the session.
    const socket = connect(this.#socketOf(owner));
    socket.once("error", serve);
    socket.once("connect", () => {
      socket.off("error", serve);
      pass(request, response, socket);
    });
  }

  async accept(serve: (request: IncomingMessage, response: ServerResponse) => void): Promise<() => Promise<void>> {
    // The process that passes a request on has limited its head. The endpoint limits its body.
    const server = nodeHttp().createServer({ requestTimeout: 0 }, serve);
    // Exclusive: workers would share the socket otherwise.
    await listening(server, { path: this.#socketOf(this.#prefix), exclusive: true });
    return () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
  }

  clientAddress(request: IncomingMessage): string {
    return String(request.headers[CLIENT_HEADER]);
  }

  serverAddress(request: IncomingMessage): string {
    return String(request.headers[SERVER_HEADER]);
  }

  #socketOf(prefix: string): string {
    return join(this.#folder, prefix);
  }
}

/** The worker of a request's session. The HTTP+SSE transport has the id in its query. */
function ownerOf({ headers, url }: IncomingMessage): string | undefined {
  const id = headers[HttpHeader.session] ?? /[?&]sessionId=([^&]*)/.exec(String(url))?.[1];
  return /^[0-9a-f]{4}/.exec(String(id))?.[0];
}

function pass(request: IncomingMessage, response: ServerResponse, socket: Socket): void {
  const { method, url: path, socket: own } = request;
  const addresses = [CLIENT_HEADER, String(own.remoteAddress), SERVER_HEADER, String(own.localAddress)];
  const headers = [...passedOn(request.rawHeaders), ...addresses, "Connection", "close"];
  const passed = nodeHttp().request({ method, path, headers, createConnection: () => socket });
  response.once("close", () => socket.destroy());
  passed.once("response", (answer) => {
    // The answer to a request has a status.
    response.writeHead(answer.statusCode as number, passedOn(answer.rawHeaders));
    // An event stream tells its client at once that it is open.
    response.flushHeaders();
    pipeline(answer, response, () => undefined);
  });
  pipeline(request, passed, () => undefined);
  // The other worker has ended. The client finds out by the lost connection, and by 404 for its next request.
  passed.on("error", () => response.destroy());
}

/** Names and values in turn, without the headers of one connection. */
function passedOn(raw: readonly string[]): string[] {
  const kept: string[] = [];
  for (let index = 0; index < raw.length; index += 2) {
    const pair = raw.slice(index, index + 2);
    if (!OWN_HEADERS.has(String(pair[0]).toLowerCase())) kept.push(...pair);
  }
  return kept;
}
