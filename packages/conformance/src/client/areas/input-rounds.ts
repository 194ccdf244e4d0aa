/** Input rounds of the modern era: how a client answers a result that asks for input. */
import { notObserved } from "../../judge/expectations.js";
import { isObject, type JsonObject } from "../../wire/json-rpc.js";
import { answer } from "../replies.js";
import type { ClientArea, ClientCheck } from "../scenario.js";
import { callsOf, isRole, requestsOf, type SeenRequest, type Sighting, wantOf } from "../sighting.js";

const scenario = "input-rounds";

/** A state that no client may change. */
const ODD_STATE = ' {"opaque": "größe"}+/%20== ';

const FORM: JsonObject = {
  method: "elicitation/create",
  params: {
    mode: "form",
    message: "Which city?",
    requestedSchema: { type: "object", properties: { city: { type: "string", default: "Paris" } } },
  },
};
const SAMPLE: JsonObject = {
  method: "sampling/createMessage",
  params: { messages: [{ role: "user", content: { type: "text", text: "Hello" } }], maxTokens: 10 },
};
const ROOTS: JsonObject = { method: "roots/list" };

const ASKING: Readonly<Record<string, JsonObject>> = {
  "ask-form": { inputRequests: { "city?": FORM }, requestState: ODD_STATE },
  "ask-sample": { inputRequests: { model: SAMPLE }, requestState: "s" },
  "ask-roots": { inputRequests: { roots: ROOTS }, requestState: "r" },
  "ask-without-state": { inputRequests: { city: FORM } },
  "ask-state-only": { requestState: "only" },
};

/** Whether a request is a round after the first. */
function isRetry({ params }: SeenRequest): boolean {
  return "inputResponses" in params || "requestState" in params;
}

/** The first call of a tool, and its retry. */
function roundsOf(seen: readonly Sighting[], tool: string): { first: SeenRequest; retry: SeenRequest } {
  const calls = callsOf(seen, tool);
  const first = calls.find((call) => !isRetry(call));
  const retry = calls.find(isRetry) ?? calls[1];
  if (!first || !retry) notObserved("the client did not answer the question");
  return { first, retry };
}

function retryCheck(
  facts: Pick<ClientCheck, "id" | "requirement" | "title" | "mend">,
  tool: string,
  expected: string,
  isRight: (retry: SeenRequest, first: SeenRequest) => boolean,
): ClientCheck {
  return {
    ...facts,
    scenario,
    judge: (seen) => {
      const { first, retry } = roundsOf(seen, tool);
      wantOf([retry.sighting], isRight(retry, first), expected, retry.params);
    },
  };
}

function inputOf({ params }: SeenRequest, key: string): JsonObject {
  const input = isObject(params.inputResponses) ? params.inputResponses[key] : undefined;
  return isObject(input) ? input : {};
}

export const inputRounds: ClientArea = {
  area: "client-input-rounds",
  scenarios: [
    {
      name: scenario,
      revisions: ["2026-07-28"],
      summary:
        "Tools that ask for forms, samples and roots before they answer. A client declares all three and answers.",
      script: () => ({
        tools: [...Object.keys(ASKING), "ask-never"].map((name) => ({
          name,
          inputSchema: { type: "object", properties: { text: { type: "string", default: "same" } } },
        })),
        answers: {
          "tools/call": (request) => {
            const asked = ASKING[String(request.params.name)];
            return asked && !isRetry(request)
              ? answer(request, { resultType: "input_required", ...asked })
              : answer(request, { content: [] });
          },
        },
      }),
    },
    {
      name: "endless-rounds",
      revisions: ["2026-07-28"],
      summary: "A tool that asks in every round.",
      script: () => ({
        tools: [{ name: "endless", inputSchema: { type: "object" } }],
        answers: {
          "tools/call": (request) => answer(request, { resultType: "input_required", requestState: "again" }),
        },
      }),
    },
    {
      name: "unknown-results",
      revisions: ["2026-07-28"],
      summary: "A tool whose result is of an unknown type, and a list that asks for input, which no list may.",
      script: () => ({
        resources: [],
        tools: [{ name: "unknown", inputSchema: { type: "object" } }],
        answers: {
          "tools/call": (request) => answer(request, { resultType: "future_type", requestState: "x" }),
          "resources/list": (request) =>
            answer(request, { resultType: "input_required", inputRequests: { city: FORM }, requestState: "y" }),
        },
      }),
    },
  ],
  checks: [
    retryCheck(
      {
        id: "client-round-state",
        requirement: "mrtr:retry:state-echo",
        title: "The state of a round comes back as it was, to the byte.",
        mend: "Send requestState as it came, without parsing it.",
      },
      "ask-form",
      ODD_STATE,
      ({ params }) => params.requestState === ODD_STATE,
    ),
    retryCheck(
      {
        id: "client-round-keys",
        requirement: "mrtr:retry:answers-first",
        title: "The answers of a round are under the keys of its questions.",
        mend: "Send inputResponses with the keys of inputRequests.",
      },
      "ask-form",
      "city?",
      ({ params }) => isObject(params.inputResponses) && Object.keys(params.inputResponses).join() === "city?",
    ),
    retryCheck(
      {
        id: "client-round-id",
        requirement: "mrtr:retry:new-id",
        title: "Every round has an id of its own.",
        mend: "Use a new id for the retry.",
      },
      "ask-form",
      "a new id",
      ({ message }, first) => message.id !== first.message.id,
    ),
    retryCheck(
      {
        id: "client-round-params",
        requirement: "mrtr:tools-call:write-once-roundtrip",
        title: "A retry has the arguments of the first call.",
        mend: "Send the original params again beside the answers.",
      },
      "ask-form",
      "the same arguments",
      ({ params }, first) => JSON.stringify(params.arguments) === JSON.stringify(first.params.arguments),
    ),
    retryCheck(
      {
        id: "client-round-headers",
        requirement: "client-transport:http:body-derived-headers",
        title: "A retry has the mirrored headers of its call.",
        mend: "Send Mcp-Method and Mcp-Name with every round.",
      },
      "ask-form",
      "Mcp-Name",
      ({ headers }) => headers["mcp-name"] === "ask-form" && headers["mcp-method"] === "tools/call",
    ),
    retryCheck(
      {
        id: "client-round-form-action",
        requirement: "elicitation:form:basic",
        title: "The answer to a form has an action.",
        mend: "Send action accept, decline or cancel.",
      },
      "ask-form",
      "accept, decline or cancel",
      (retry) => ["accept", "decline", "cancel"].includes(String(inputOf(retry, "city?").action)),
    ),
    retryCheck(
      {
        id: "client-round-form-defaults",
        requirement: "elicitation:form:defaults",
        title: "Fields that an accepted form leaves out have the defaults of its schema.",
        mend: "Fill in the defaults of requestedSchema.",
      },
      "ask-form",
      "a city",
      (retry) => {
        const { action, content } = inputOf(retry, "city?");
        return action !== "accept" || (isObject(content) && typeof content.city === "string");
      },
    ),
    retryCheck(
      {
        id: "client-round-sample",
        requirement: "sampling:mrtr:create:basic",
        title: "The answer to a sampling request has a role, a model and content.",
        mend: "Send role, model and content.",
      },
      "ask-sample",
      "role, model and content",
      (retry) => {
        const { role, model, content } = inputOf(retry, "model");
        return isRole(role) && typeof model === "string" && content !== undefined;
      },
    ),
    retryCheck(
      {
        id: "client-round-roots",
        requirement: "roots:uri:client-checks",
        title: "The answer to a request for roots lists file URIs.",
        mend: "Send roots, each with a uri that begins with file://.",
      },
      "ask-roots",
      "file URIs",
      (retry) => {
        const { roots } = inputOf(retry, "roots");
        return Array.isArray(roots) && roots.every((root) => isObject(root) && /^file:\/\//.test(String(root.uri)));
      },
    ),
    retryCheck(
      {
        id: "client-round-no-state",
        requirement: "mrtr:retry:no-state",
        title: "A round without a state is answered without one.",
        mend: "Send requestState only if the last result had one.",
      },
      "ask-without-state",
      "no requestState",
      ({ params }) => !("requestState" in params),
    ),
    retryCheck(
      {
        id: "client-round-state-only",
        requirement: "mrtr:retry:state-only",
        title: "A result with a state and no questions is followed by the same call with the state alone.",
        mend: "Make the call again with requestState and without inputResponses.",
      },
      "ask-state-only",
      "the state alone",
      ({ params }) => params.requestState === "only" && !("inputResponses" in params),
    ),
    {
      id: "client-round-no-leak",
      scenario,
      requirement: "mrtr:retry:no-leak",
      title: "Calls beside a round carry neither its answers nor its state.",
      mend: "Keep inputResponses and requestState to the call that was asked.",
      judge: (seen) => {
        roundsOf(seen, "ask-form");
        const odd = [...callsOf(seen, "ask-never"), ...requestsOf(seen, "tools/list")].find(isRetry);
        wantOf([odd?.sighting], odd === undefined, "no state", odd?.params);
      },
    },
    {
      id: "client-rounds-bounded",
      scenario: "endless-rounds",
      requirement: "client-transport:http:rounds-cap",
      title: "A tool that asks in every round is given up.",
      mend: "Bound the rounds of a call.",
      judge: (seen) => {
        const calls = callsOf(seen, "endless");
        if (calls.length < 2) notObserved("the client made no second round");
        wantOf([calls.at(-1)?.sighting], calls.length <= 25, "at most 25 rounds", `${calls.length}`);
      },
    },
    {
      id: "client-unknown-result-type",
      scenario: "unknown-results",
      requirement: "client-transport:http:unknown-result-type",
      title: "A result of an unknown type ends the call.",
      mend: "Treat a result with an unknown resultType as invalid.",
      judge: (seen) => {
        const calls = callsOf(seen, "unknown");
        if (calls.length === 0) notObserved("the client did not call the tool");
        wantOf([calls.at(-1)?.sighting], calls.length === 1, "one call", `${calls.length}`);
      },
    },
    {
      id: "client-rounds-methods",
      scenario: "unknown-results",
      requirement: "mrtr:methods:client-refuses",
      title: "A list that asks for input is not answered.",
      mend: "Answer input_required of tools/call, prompts/get and resources/read alone.",
      judge: (seen) => {
        const lists = requestsOf(seen, "resources/list");
        if (lists.length === 0) notObserved("the client listed no resources");
        const odd = lists.find(isRetry);
        wantOf([odd?.sighting], odd === undefined, "no answer", odd?.params);
      },
    },
  ],
};
