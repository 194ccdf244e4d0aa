/**
 * Lingering close of a connection whose client is still sending. Closing a connection with unread bytes resets it, and the
 * client would lose the answer.
 */
import type { IncomingMessage, ServerResponse } from "node:http";

/** Time and bytes for which the rest of a request is read and discarded. Many clients read only after they have sent all. */
const LINGER_MS = 2_000;
const MAX_LINGER_BYTES = 67_108_864;

/** Whether the connection has sent its last response. Requests that arrive afterwards must not be served. */
export function isLingering({ socket }: IncomingMessage): boolean {
  return socket.writableEnded;
}

/**
 * Sends the body of a `Connection: close` response, half-closes the socket, and discards input until the client has sent
 * its whole request. `response.end()` then makes Node close the other direction.
 */
export function endLingering(response: ServerResponse, body: string | Uint8Array): void {
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
