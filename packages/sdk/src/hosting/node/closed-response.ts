/**
 * The end of a response: it was sent, or its client is gone. Node emits no event for a pipelined response whose
 * connection is lost while it waits for the response before it.
 */
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** The waiting responses of each connection. They share one listener, since there may be many. */
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
