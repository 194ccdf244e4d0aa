/** A client that answers each question twice at the same time, by bare requests. A server runs the handler for one of them. */
import type { Verdict } from "../history.js";
import { CALL_TIMEOUT_MS, type Connect, contentOf, verdictOfCode, verdictOfStatus } from "./load-client.js";

const REVISION = "2026-07-28";
const META = {
  "io.modelcontextprotocol/protocolVersion": REVISION,
  "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
};

/** An error of the server, or a response without one. */
class Refused extends Error {
  readonly verdict: Verdict;

  constructor(verdict: Verdict, message: string) {
    super(message);
    this.verdict = verdict;
  }
}

interface Params {
  readonly name: string;
  readonly [member: string]: unknown;
}

interface Result {
  readonly requestState?: string;
  readonly inputRequests?: Readonly<Record<string, unknown>>;
}

interface Answer {
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
  readonly result?: Result;
}

export const connect: Connect = async (url, name) => ({
  tools: ["ask"],
  call: async (tool, call, { signal }) => {
    const send = (rest: object) => post(url, name, { name: tool, arguments: { call }, _meta: META, ...rest }, signal);
    const { requestState, inputRequests = {} } = await send({});
    const answer = { action: "accept", content: { answer: call } };
    const inputResponses = Object.fromEntries(Object.keys(inputRequests).map((key) => [key, answer]));
    const both = await Promise.allSettled([1, 2].map(() => send({ inputResponses, requestState })));
    const [answered] = both.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
    if (answered !== undefined) return contentOf(answered);
    // One of the two may have run without an answer.
    throw new Refused("may be served", both.map(String).join(", "));
  },
  verdictOf: (error) => (error instanceof Refused ? error.verdict : "may be served"),
  close: async () => undefined,
});

/** @throws {Refused} */
async function post(url: string, client: string, params: Params, signal: AbortSignal): Promise<Result> {
  const response = await fetch(url, {
    method: "POST",
    signal: AbortSignal.any([signal, AbortSignal.timeout(CALL_TIMEOUT_MS)]),
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": REVISION,
      "mcp-method": "tools/call",
      "mcp-name": params.name,
      "x-client": client,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
  });
  const text = await response.text();
  if (!text.startsWith("{")) throw new Refused(verdictOfStatus(response.status), `${response.status} ${text}`);
  // A JSON-RPC answer, by its first character.
  const { error, result } = JSON.parse(text) as Answer;
  if (error) throw new Refused(verdictOfCode(error.code, error.data), `${error.code} ${error.message}`);
  return { ...result };
}
