/** A server on a free port of the loopback interface whose answers a function makes, for clients under check. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A request as it arrived. */
export interface HeardCall {
  readonly verb: string;
  /** Path and query. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Settles when the response is over: `true` if the client closed it before its end. */
  readonly isAbandoned: Promise<boolean>;
}

export interface PlayedReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** An iterable is read as fast as the client takes its pieces, and left when the client is gone. */
  readonly body: string | AsyncIterable<string | Uint8Array>;
  /** After the body: `open` waits until the client closes, `reset` breaks the connection. Default: the response ends. */
  readonly ending?: "open" | "reset";
}

export interface Listener extends AsyncDisposable {
  /** Scheme, host and port. */
  readonly origin: string;
}

/** Past this, the body of a request is cut. */
const MAX_BODY_CHARACTERS = 1024 * 1024;

const MAX_CONNECTIONS = 200;

export async function listenHttp(play: (call: HeardCall) => PlayedReply | Promise<PlayedReply>): Promise<Listener> {
  const server = createServer(async (request, response) => {
    // Clients may break off at any time. The closing of the response tells.
    response.on("error", () => undefined);
    const isAbandoned = new Promise<boolean>((resolve) => {
      response.on("close", () => resolve(!response.writableFinished));
    });
    const body = await readBody(request);
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    await write(
      response,
      await play({ verb: request.method ?? "", headers, body, path: request.url ?? "", isAbandoned }),
    );
  });
  server.maxConnections = MAX_CONNECTIONS;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function write(response: ServerResponse, { status, headers, body, ending }: PlayedReply): Promise<void> {
  response.writeHead(status, { ...headers });
  response.flushHeaders();
  for await (const piece of typeof body === "string" ? [body] : body) {
    if (response.destroyed) return;
    if (piece.length > 0 && !response.write(piece)) await drained(response);
  }
  if (ending === "reset") response.destroy();
  else if (ending === undefined) response.end();
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const settle = () => {
      response.off("drain", settle).off("close", settle);
      resolve();
    };
    response.on("drain", settle).on("close", settle);
  });
}

async function readBody(request: IncomingMessage): Promise<string> {
  let text = "";
  try {
    for await (const piece of request.setEncoding("utf8")) if (text.length < MAX_BODY_CHARACTERS) text += piece;
  } catch {
    // A client that breaks off has sent what it has sent.
  }
  return text;
}
