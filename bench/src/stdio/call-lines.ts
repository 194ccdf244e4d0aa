/** The workload as lines: requests written out beforehand, answers checked by id and content. */
import { type Era, REVISION } from "../contender.js";
import { type Answer, check, jobAt, TOOL } from "../workload.js";

/** More than are ever in flight, few enough to write out all requests before anything is measured. */
const ID_COUNT = 1_024;

const CLIENT_INFO = { name: "bench", version: "1.0.0" };
const META = {
  "io.modelcontextprotocol/protocolVersion": REVISION.modern,
  "io.modelcontextprotocol/clientInfo": CLIENT_INFO,
  "io.modelcontextprotocol/clientCapabilities": {},
};

export const INITIALIZE: string = toLine({
  id: "open",
  method: "initialize",
  params: { protocolVersion: REVISION.legacy, clientInfo: CLIENT_INFO, capabilities: {} },
});
export const INITIALIZED: string = toLine({ method: "notifications/initialized" });

export interface CheckedAnswers {
  /** The request's id. @throws {Error} for anything but the right answer to a request that is out. */
  take(line: string): number;
}

export class CallLines implements CheckedAnswers {
  readonly #requests: readonly string[];
  readonly #checksContent: boolean;
  readonly #isOut = new Array<boolean>(ID_COUNT).fill(false);
  /**
   * Lines that were found right before, and whose answers they are. Comparing text costs a fraction of parsing it,
   * so that the load keeps up with the fastest.
   */
  readonly #known = new Map<string, number>();
  #next = 0;

  constructor(era: Era, checksContent: boolean) {
    this.#checksContent = checksContent;
    this.#requests = Array.from({ length: ID_COUNT }, (_, id) => {
      const params = { name: TOOL, arguments: jobAt(id).order };
      return toLine({ id, method: "tools/call", params: era === "modern" ? { ...params, _meta: META } : params });
    });
  }

  /** The next request. @throws {Error} if its id is still in use: an answer was lost. */
  issue(): string {
    const id = this.#next;
    if (this.#isOut[id] === true) throw new Error(`request ${id} was not answered, but ${ID_COUNT} after it were`);
    this.#isOut[id] = true;
    this.#next = (id + 1) % ID_COUNT;
    return this.#requests[id] as string; // By the remainder the id is within the array.
  }

  take(line: string): number {
    const id = this.#known.get(line) ?? this.#read(line);
    if (this.#isOut[id] !== true) throw new Error(`an answer to a request that is not out: ${line}`);
    this.#isOut[id] = false;
    return id;
  }

  #read(line: string): number {
    const { id, result } = JSON.parse(line) as { id?: unknown; result?: Answer }; // `check` trusts nothing of it.
    if (typeof id !== "number") throw new Error(`no answer to a call: ${line}`);
    if (this.#checksContent) check(jobAt(id), result ?? {});
    if (this.#known.size < ID_COUNT) this.#known.set(line, id);
    return id;
  }
}

function toLine(message: object): string {
  return `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;
}
