/** What a modern client may serve from a cache: nothing else than asked for, nothing stale, nothing that took an input round. */
import { notObserved } from "../../judge/expectations.js";
import type { PlayedReply } from "../../wire/http-listener.js";
import type { JsonObject } from "../../wire/json-rpc.js";
import { answer, refuse, resultMessage } from "../replies.js";
import type { ClientArea, ClientCheck } from "../scenario.js";
import { requestsOf, type SeenRequest, type Sighting, wantOf } from "../sighting.js";
import type { Stage } from "../stage.js";

const SCENARIO = "cached-results";
const HOUR_MS = 3_600_000;

const ONE = "note://one";
const OTHER = "note://other";
const STALE = "note://stale";
const NEGATIVE = "note://negative";
const ASKED = "note://asked";
/** Each read fails, so that no cache keeps it: it shows whether the program reads a resource as often as it is listed. */
const CONTROL = "note://control";

const LISTED = [ONE, OTHER, STALE, STALE, NEGATIVE, NEGATIVE, ASKED, ASKED, CONTROL, CONTROL];

const QUESTION: JsonObject = {
  name: {
    method: "elicitation/create",
    params: {
      mode: "form",
      message: "Your name?",
      requestedSchema: { type: "object", properties: { name: { type: "string", default: "Ada" } } },
    },
  },
};

/** Contents that are fresh for a time. */
function contents(request: SeenRequest, ttlMs: number): PlayedReply {
  const message = resultMessage(request, { contents: [{ uri: String(request.params.uri), text: "read" }] });
  const result = { ...(message.result as JsonObject), ttlMs, cacheScope: "public" };
  return {
    status: 200,
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ...message, result }),
  };
}

function read(request: SeenRequest): PlayedReply {
  const { uri, inputResponses } = request.params;
  if (uri === CONTROL) return refuse(200, request.message.id, -32603, "Not today");
  if (uri === ASKED && inputResponses === undefined)
    return answer(request, { resultType: "input_required", inputRequests: QUESTION });
  const ttlMs = uri === STALE ? 0 : HOUR_MS;
  return contents(request, uri === NEGATIVE ? -1 : ttlMs);
}

/** The first requests for a resource, without the retries of input rounds. */
function readsOf(seen: readonly Sighting[], uri: string): SeenRequest[] {
  return requestsOf(seen, "resources/read").filter(
    ({ params }) => params.uri === uri && params.inputResponses === undefined,
  );
}

/** A result that must not be served a second time. */
function readAgain(
  facts: Pick<ClientCheck, "id" | "requirement" | "title" | "mend">,
  uri: string,
  isObserved: (seen: readonly Sighting[], stage: Stage) => boolean = () => true,
): ClientCheck {
  return {
    ...facts,
    scenario: SCENARIO,
    judge: (seen, stage) => {
      if (readsOf(seen, CONTROL).length < 2)
        notObserved("the program does not read a resource as often as it is listed");
      const reads = readsOf(seen, uri);
      if (reads.length === 0 || !isObserved(seen, stage)) notObserved(`the client did not read ${uri} to its end`);
      wantOf([reads[0]?.sighting], reads.length > 1, "a second request", "one request");
    },
  };
}

export const caching: ClientArea = {
  area: "client-caching",
  scenarios: [
    {
      name: SCENARIO,
      revisions: ["2026-07-28"],
      summary: "A server that lists some resources twice, with caching hints of all kinds.",
      script: () => ({
        resources: LISTED.map((uri) => ({ uri, name: uri.slice("note://".length) })),
        answers: { "resources/read": read },
      }),
    },
  ],
  checks: [
    {
      id: "client-cache-key",
      scenario: SCENARIO,
      requirement: "caching:key",
      title: "A kept result is not served for other params.",
      mend: "Keep results under the method and all params of their request.",
      judge: (seen) => {
        if (readsOf(seen, ONE).length === 0 || readsOf(seen, STALE).length === 0)
          notObserved("the client did not read the listed resources");
        wantOf([readsOf(seen, ONE)[0]?.sighting], readsOf(seen, OTHER).length > 0, `a request for ${OTHER}`, "none");
      },
    },
    readAgain(
      {
        id: "client-cache-stale",
        requirement: "caching:ttl:none",
        title: "A result with ttlMs 0 is asked for again.",
        mend: "Keep no result whose ttlMs is 0.",
      },
      STALE,
    ),
    readAgain(
      {
        id: "client-cache-negative",
        requirement: "caching:ttl:none",
        title: "A result with a negative ttlMs is asked for again.",
        mend: "Treat a negative ttlMs as 0.",
      },
      NEGATIVE,
    ),
    readAgain(
      {
        id: "client-cache-rounds",
        requirement: "caching:key:input-rounds",
        title: "A result that took an input round is not served a second time.",
        mend: "Keep no result of a request with inputResponses or requestState.",
      },
      ASKED,
      (seen) => requestsOf(seen, "resources/read").some(({ params }) => params.inputResponses !== undefined),
    ),
  ],
};
