/** Requests of a legacy server: what a client declared, it serves; what it did not, it refuses. */
import { notObserved } from "../../judge/expectations.js";
import { isObject, type JsonObject } from "../../wire/json-rpc.js";
import { event, eventStream, resultMessage } from "../replies.js";
import type { ClientArea, ClientCheck } from "../scenario.js";
import { declaredBy, isRole, responsesOf, responseTo, type SeenRequest, type Sighting, wantOf } from "../sighting.js";
import type { Stage } from "../stage.js";

const scenario = "server-requests";

const TEXT = { type: "text", text: "Hello" };

/** By the id of the request, each asked in a call of its own. */
const QUESTIONS: Readonly<Record<string, JsonObject>> = {
  "ping-1": { method: "ping" },
  "roots-1": { method: "roots/list" },
  "sample-1": {
    method: "sampling/createMessage",
    params: { messages: [{ role: "user", content: TEXT }], maxTokens: 10 },
  },
  "mixed-1": {
    method: "sampling/createMessage",
    params: {
      messages: [
        { role: "assistant", content: [{ type: "tool_use", id: "t", name: "x", input: {} }] },
        { role: "user", content: [{ type: "tool_result", toolUseId: "t", content: [TEXT] }, TEXT] },
      ],
      maxTokens: 10,
    },
  },
  "unbalanced-1": {
    method: "sampling/createMessage",
    params: {
      messages: [
        { role: "assistant", content: [{ type: "tool_use", id: "t", name: "x", input: {} }] },
        { role: "user", content: TEXT },
      ],
      maxTokens: 10,
    },
  },
  "form-1": {
    method: "elicitation/create",
    params: {
      message: "Which city?",
      requestedSchema: { type: "object", properties: { city: { type: "string", default: "Paris" } } },
    },
  },
  "mode-1": { method: "elicitation/create", params: { mode: "hologram", message: "Look" } },
  "unknown-1": { method: "future/method", params: {} },
};

async function* asking(stage: Stage, request: SeenRequest, id: string): AsyncIterable<string> {
  const answered = stage.next((sighting) => responsesOf([sighting]).some(({ message }) => message.id === id));
  yield event({ jsonrpc: "2.0", id, ...QUESTIONS[id] });
  await answered;
  yield event(resultMessage(request, { content: [] }));
}

/** What the client answered to a question. */
function answerOf(seen: readonly Sighting[], id: string): JsonObject {
  const found = responseTo(seen, id);
  if (!found) notObserved("the client did not answer, or was not asked");
  return found;
}

function questionCheck(
  facts: Pick<ClientCheck, "id" | "requirement" | "title" | "mend" | "atMost">,
  question: string,
  expected: string,
  isRight: (answer: JsonObject, result: JsonObject, declared: JsonObject) => boolean,
): ClientCheck {
  return {
    ...facts,
    scenario,
    judge: (seen) => {
      const found = answerOf(seen, question);
      const result = isObject(found.result) ? found.result : {};
      wantOf(sightingsOf(seen, found), isRight(found, result, declaredBy(seen)), expected, found);
    },
  };
}

function sightingsOf(seen: readonly Sighting[], answer: JsonObject): Sighting[] {
  return responsesOf(seen)
    .filter(({ message }) => message === answer)
    .map(({ sighting }) => sighting);
}

function codeOf({ error }: JsonObject): unknown {
  return isObject(error) ? error.code : undefined;
}

export const serverRequests: ClientArea = {
  area: "client-server-requests",
  scenarios: [
    {
      name: scenario,
      revisions: ["2025-11-25"],
      summary:
        "Tools in whose calls the server pings, asks for roots, samples and forms, and sends an unknown request.",
      script: (stage) => ({
        tools: Object.keys(QUESTIONS).map((name) => ({ name, inputSchema: { type: "object" } })),
        answers: {
          "tools/call": (request) => eventStream(asking(stage, request, String(request.params.name))),
        },
      }),
    },
  ],
  checks: [
    questionCheck(
      {
        id: "client-answers-ping",
        requirement: "ping:server-to-client",
        title: "A ping of the server is answered with an empty result.",
        mend: "Answer ping with {}.",
      },
      "ping-1",
      "an empty result",
      (found) => isObject(found.result) && Object.keys(found.result).length === 0,
    ),
    questionCheck(
      {
        id: "client-roots-declared",
        requirement: "roots:capability:declare",
        title: "A client serves roots if it declared them, and only then.",
        mend: "Declare roots if roots/list is served.",
      },
      "roots-1",
      "roots as declared",
      (found, _result, declared) => ("roots" in declared ? codeOf(found) !== -32601 : "error" in found),
    ),
    questionCheck(
      {
        id: "client-roots-files",
        requirement: "roots:uri:client-checks",
        title: "Roots are file URIs.",
        mend: "Answer roots/list with uris that begin with file://.",
      },
      "roots-1",
      "file URIs",
      (found, { roots }) =>
        "error" in found ||
        (Array.isArray(roots) && roots.every((root) => isObject(root) && /^file:\/\//.test(String(root.uri)))),
    ),
    questionCheck(
      {
        id: "client-sampling-declared",
        requirement: "sampling:capability:declare",
        title: "A client serves sampling only if it declared it.",
        mend: "Declare sampling if sampling/createMessage is served.",
      },
      "sample-1",
      "sampling as declared",
      (found, _result, declared) => "error" in found || "sampling" in declared,
    ),
    questionCheck(
      {
        id: "client-sampling-result",
        requirement: "sampling:create:basic",
        title: "The answer to a sampling request has a role, a model and content.",
        mend: "Answer with role, model and content.",
      },
      "sample-1",
      "role, model and content",
      (found, { role, model, content }) =>
        "error" in found || (isRole(role) && typeof model === "string" && content !== undefined),
    ),
    questionCheck(
      {
        id: "client-sampling-balance",
        requirement: "sampling:tool-use:result-balance",
        // The MUST binds whoever wrote the messages. That a client refuses them is a SHOULD.
        atMost: "warning",
        title: "A conversation in which a tool use has no result is refused.",
        mend: "Answer -32602 to a tool use without its result.",
      },
      "unbalanced-1",
      "an error",
      (found) => "error" in found,
    ),
    questionCheck(
      {
        id: "client-sampling-mixed",
        requirement: "sampling:tool-result:no-mixed-content",
        // The MUST binds whoever wrote the messages. That a client refuses them is a SHOULD.
        atMost: "warning",
        title: "A message in which tool results are mixed with other content is refused.",
        mend: "Answer -32602 to tool results beside other content.",
      },
      "mixed-1",
      "an error",
      (found) => "error" in found,
    ),
    questionCheck(
      {
        id: "client-form-declared",
        requirement: "elicitation:capability:declared",
        title: "A client serves forms only if it declared elicitation.",
        mend: "Declare elicitation if elicitation/create is served.",
      },
      "form-1",
      "elicitation as declared",
      (found, _result, declared) => "error" in found || "elicitation" in declared,
    ),
    questionCheck(
      {
        id: "client-form-action",
        requirement: "elicitation:form:basic",
        title: "A form is answered with the action accept, decline or cancel.",
        mend: "Answer with one of the three actions.",
      },
      "form-1",
      "an action",
      (found, { action }) => "error" in found || ["accept", "decline", "cancel"].includes(String(action)),
    ),
    questionCheck(
      {
        id: "client-form-content",
        requirement: "elicitation:form:client-validation",
        title: "The content of an accepted form fits its schema.",
        mend: "Check the content against requestedSchema before it is sent.",
      },
      "form-1",
      "a city",
      (_found, { action, content }) =>
        action !== "accept" || (isObject(content) && ["string", "undefined"].includes(typeof content.city)),
    ),
    questionCheck(
      {
        id: "client-elicitation-mode",
        requirement: "elicitation:capability:mode-mismatch",
        title: "An elicitation in a mode that the client did not declare is refused with -32602.",
        mend: "Answer -32602 to other modes.",
      },
      "mode-1",
      "error -32602",
      // Without elicitation a client has no such method.
      (found, _result, declared) =>
        codeOf(found) === -32602 || (!("elicitation" in declared) && codeOf(found) === -32601),
    ),
    {
      id: "client-unknown-request",
      scenario,
      requirement: "protocol:error:method-not-found",
      title: "An unknown request of the server is refused with -32601.",
      mend: "Answer -32601 to methods without a handler.",
      judge: (seen) => {
        const found = answerOf(seen, "unknown-1");
        // JSON-RPC states the code without a key word.
        const atMost = "error" in found ? "warning" : undefined;
        wantOf(sightingsOf(seen, found), codeOf(found) === -32601, "error -32601", found, atMost);
      },
    },
    {
      id: "client-answer-shape",
      scenario,
      requirement: "protocol:frame:answers",
      title: "Every answer of the client has either a result or an error.",
      mend: "Send one of result and error.",
      judge: (seen) => {
        const answers = responsesOf(seen);
        if (answers.length === 0) notObserved("the client answered nothing");
        const odd = answers.find(({ message }) => "result" in message === "error" in message);
        wantOf([odd?.sighting], odd === undefined, "one of both", odd?.message);
      },
    },
    {
      id: "client-answer-once",
      scenario,
      requirement: "protocol:request-id:verbatim",
      title: "Every answer of the client has the id of a request, and each id comes once.",
      mend: "Repeat the id of the request, and answer once.",
      judge: (seen) => {
        const ids = responsesOf(seen).map(({ message }) => message.id);
        if (ids.length === 0) notObserved("the client answered nothing");
        const odd = ids.find((id, index) => !(String(id) in QUESTIONS) || ids.indexOf(id) !== index);
        wantOf([], odd === undefined, "each id once", odd);
      },
    },
  ],
};
