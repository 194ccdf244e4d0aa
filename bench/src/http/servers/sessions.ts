/** What both generations of the official SDK leave to their users: to find the transport of a session again. */
import { randomUUID } from "node:crypto";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";

export interface SessionTransport {
  handleRequest(request: IncomingMessage, response: ServerResponse): Promise<void>;
}

export interface SessionOptions {
  readonly enableJsonResponse: true;
  /** Absent: no sessions. */
  readonly sessionIdGenerator?: () => string;
  readonly onsessioninitialized?: (id: string) => void;
}

/** A transport, with a server connected to it, per session, or per request where there are no sessions. */
export function withSessions<Transport extends SessionTransport>(
  hasSessions: boolean,
  connect: (options: SessionOptions) => Promise<Transport>,
): RequestListener {
  const sessions = new Map<string, Transport>();
  const transportFor = async (id: string | string[] | undefined): Promise<Transport> => {
    if (!hasSessions) return connect({ enableJsonResponse: true });
    const known = typeof id === "string" ? sessions.get(id) : undefined;
    if (known) return known;
    const transport = await connect({
      sessionIdGenerator: randomUUID,
      enableJsonResponse: true,
      onsessioninitialized: (opened) => {
        sessions.set(opened, transport);
      },
    });
    return transport;
  };
  return async (request, response) => {
    const transport = await transportFor(request.headers["mcp-session-id"]);
    await transport.handleRequest(request, response);
  };
}
