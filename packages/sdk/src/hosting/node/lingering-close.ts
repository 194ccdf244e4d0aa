/**
 * Closes a connection whose client is still sending, so that the client gets its answer: a connection that is closed
 * with bytes unread is reset, and the answer is lost on its way.
 */
import type { IncomingMessage, ServerResponse } from "node:http";

/** How long, and for how many bytes, a client may go on sending what is thrown away. Many read only once all is sent. */
const LINGER_MS = 2_000;
const MAX_LINGER_BYTES = 67_108_864;

/** A connection that was answered for the last time: what a client has sent after that must not be served. */
export function isLingering({ socket }: IncomingMessage): boolean {
  return socket.writableEnded;
}

/**
 * Sends the rest of a response that announces the connection's end, closes this direction alone, and reads on until
 * the client has seen it. Only the end of the response makes Node close the other direction.
 */
export function endLingering(response: ServerResponse, body: string): void {
  const { req: request } = response;
  let left = MAX_LINGER_BYTES;
  const timer = setTimeout(() => response.destroy(), LINGER_MS);
  response.once("close", () => clearTimeout(timer)).write(body, () => request.socket.end());
  request
    .on("data", (chunk: Uint8Array) => {
      left -= chunk.length;
      if (left < 0) response.destroy();
    })
    .once("end", () => response.end())
    .resume();
}
