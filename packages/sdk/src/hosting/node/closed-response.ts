/**
 * Close listener for responses: called when the response was sent, or its client has disconnected. Node emits no event for
 * a pipelined response whose connection is lost while it waits for an earlier response.
 */
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Listeners of the waiting responses, by connection. They share one listener on the socket, since there may be many. */
const waiting = new WeakMap<Socket, Set<() => void>>();

/** Calls `listener` once. Returns a function that removes the listener. */
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
