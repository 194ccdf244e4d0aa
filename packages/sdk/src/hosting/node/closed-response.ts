/**
 * When a response is over: sent, or its client gone. Of a response that waits for another on the same connection to end
 * (pipelining), Node does not tell when that connection is lost.
 */
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** The waiting responses of each connection. One listener serves them all, since there may be many. */
const waiting = new WeakMap<Socket, Set<() => void>>();

/** Calls back once, unless it is stopped before by calling what it returns. */
export function onClosed(response: ServerResponse, listener: () => void): () => void {
  if (response.socket !== null) {
    response.on("close", listener);
    return () => response.off("close", listener);
  }
  const { socket } = response.req;
  const listeners = waiting.get(socket) ?? listenTo(socket);
  const closed = () => {
    if (listeners.delete(closed)) listener();
  };
  listeners.add(closed);
  response.on("close", closed);
  return () => {
    listeners.delete(closed);
    response.off("close", closed);
  };
}

function listenTo(socket: Socket): Set<() => void> {
  const listeners = new Set<() => void>();
  waiting.set(socket, listeners);
  socket.once("close", () => {
    for (const closed of listeners) closed();
  });
  return listeners;
}
