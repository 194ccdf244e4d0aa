/**
 * Waits for the standalone streams of legacy clients. Such a client opens its stream in the background, after `initialize`. If its
 * token expires before the stream is open, the stream and the next call are refused together, and both refresh the token. Two
 * refreshes at once are fatal for `mcp-remote`, which loses one of the files, and at a server that accepts a refresh token once.
 */
import type { AccessLogEntry, ResourceGate } from "parley-mcp/node";

export class StandaloneStreams {
  #sessions = 0;
  #streams = 0;
  readonly #waiting: (() => void)[] = [];

  /** Counts sessions, as the `onResponse` of the server. */
  readonly observe = ({ method, status }: AccessLogEntry): void => {
    if (method === "initialize" && status === 200) this.#sessions += 1;
  };

  /** Counts the streams that pass a gate. */
  behind(gate: ResourceGate): ResourceGate {
    return {
      ready: () => gate.ready(),
      resource: gate.resource,
      documents: gate.documents,
      requiredScopes: gate.requiredScopes,
      authenticate: async (request) => {
        const caller = await gate.authenticate(request);
        if (request.method === "GET") this.#count();
        return caller;
      },
    };
  }

  /** Resolves once every session has its stream. */
  async allOpen(): Promise<void> {
    while (this.#streams < this.#sessions) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  #count(): void {
    this.#streams += 1;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
