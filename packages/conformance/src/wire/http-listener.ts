/** A server on a free port of the loopback interface whose answers a function makes, for clients under check. */
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { HttpCall } from "./http-exchange.js";

export interface PlayedReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The response stays open after its body, until the client closes it. */
  readonly staysOpen?: boolean;
}

export interface Listener extends AsyncDisposable {
  readonly url: string;
}

/** Past this, the body of a request is cut. */
const MAX_BODY_CHARACTERS = 4 * 1024 * 1024;

export async function listenHttp(play: (call: HttpCall) => PlayedReply): Promise<Listener> {
  const server = createServer(async (request, response) => {
    const body = await readBody(request);
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    const reply = play({ verb: request.method ?? "", headers, body, path: request.url ?? "" });
    response.writeHead(reply.status, reply.headers);
    if (reply.staysOpen) response.write(reply.body || ":\n");
    else response.end(reply.body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
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
