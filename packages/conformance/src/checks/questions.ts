/** Requests that a legacy server sends to its client while an allowed call is in progress. */
import { cannedAnswer, QUESTION_CAPABILITIES } from "../judge/canned-answers.js";
import type { ActiveCheck, CheckArea } from "../judge/check.js";
import { notObserved, repeatedIn, show, want } from "../judge/expectations.js";
import type { Probe } from "../judge/probe.js";
import { type Answer, describeAnswer } from "../target/answer.js";
import { initializeParams } from "../target/envelope.js";
import { isObject, isRequest, isResponse, type JsonObject } from "../wire/json-rpc.js";

/** A call, the requests that came before its answer, and the answer. */
interface Asked {
  readonly name: string;
  readonly questions: readonly JsonObject[];
  readonly answer: Answer;
}

/** Questions of one call that are answered. A server that asks more gets no more answers, and so no result. */
const MAX_QUESTIONS = 20;

const EVERYTHING: JsonObject = { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} };

type AnswerTo = (question: JsonObject) => JsonObject;

const accept: AnswerTo = (question) => ({ result: question.method === "ping" ? {} : cannedAnswer(question) });

/** How the client of a conversation answers. */
const MANNERS = {
  accept,
  decline: (question) =>
    question.method === "elicitation/create" ? { result: { action: "decline" } } : accept(question),
  reject: (question) =>
    question.method === "sampling/createMessage"
      ? { error: { code: -1, message: "User rejected sampling request" } }
      : accept(question),
} satisfies Record<string, AnswerTo>;

const conversations = new WeakMap<Probe, Map<string, Promise<readonly Asked[]>>>();

/** Every allowed call that asks a client with these capabilities. Each pair of capabilities and manner is tried once. */
async function asked(
  probe: Probe,
  capabilities: JsonObject = EVERYTHING,
  manner: keyof typeof MANNERS = "accept",
): Promise<readonly Asked[]> {
  const known = conversations.get(probe) ?? new Map<string, Promise<readonly Asked[]>>();
  conversations.set(probe, known);
  const key = JSON.stringify([capabilities, manner]);
  const made = known.get(key) ?? converse(probe, capabilities, MANNERS[manner]);
  known.set(key, made);
  const found = await made;
  probe.touch(...found.map(({ answer }) => answer));
  return found;
}

async function converse(probe: Probe, capabilities: JsonObject, answerTo: AnswerTo): Promise<readonly Asked[]> {
  const peer = await probe.fresh({ initialize: { ...initializeParams(probe.revision), capabilities } });
  const found: Asked[] = [];
  for (const [index, { name, arguments: args }] of probe.offer.calls.entries()) {
    const id = `parley-check-question-${index}`;
    const questions: JsonObject[] = [];
    const until = (message: unknown) => {
      if (!isRequest(message)) return isResponse(message) && message.id === id;
      questions.push(message);
      if (questions.length <= MAX_QUESTIONS)
        void peer.respond({ jsonrpc: "2.0", id: message.id, ...answerTo(message) });
      return false;
    };
    const answer = await peer.request("tools/call", { name, arguments: args }, { id, until });
    if (questions.length > 0) found.push({ name, questions, answer });
  }
  return found;
}

/** The questions of a kind in all conversations with a client that can be asked anything. */
async function questionsOf(probe: Probe, method: string): Promise<{ name: string; params: JsonObject }[]> {
  const found = (await asked(probe)).flatMap(({ name, questions }) =>
    questions
      .filter((question) => question.method === method)
      .map(({ params }) => ({ name, params: isObject(params) ? params : {} })),
  );
  return found.length > 0 ? found : notObserved(`no allowed call sends ${method}`);
}

type Facts = Pick<ActiveCheck, "id" | "requirement" | "title" | "mend" | "since" | "atMost">;

/** A check of the params of each question of a kind. */
function questionCheck(
  facts: Facts,
  method: string,
  faultOf: (params: JsonObject) => unknown,
  isConcerned: (params: JsonObject) => boolean = () => true,
): ActiveCheck {
  return legacy(facts, async (probe) => {
    const concerned = (await questionsOf(probe, method)).filter(({ params }) => isConcerned(params));
    if (concerned.length === 0) notObserved("no allowed call asks in this way");
    for (const { name, params } of concerned) {
      const fault = faultOf(params);
      want(fault === undefined, facts.title, `${show(fault)} from ${name}`);
    }
  });
}

/** A client with fewer capabilities is not asked for what it lacks. */
function gateCheck(
  facts: Facts,
  capabilities: JsonObject,
  isForbidden: (question: JsonObject) => boolean,
): ActiveCheck {
  return legacy(facts, async (probe) => {
    const couldAsk = (await asked(probe)).flatMap(({ questions }) => questions).some(isForbidden);
    if (!couldAsk) notObserved("no allowed call asks for this");
    const stray = (await asked(probe, capabilities)).flatMap(({ questions }) => questions).find(isForbidden);
    want(stray === undefined, "no such request", stray);
  });
}

/** A call is answered whatever its client says. */
function answeredCheck(facts: Facts, method: string, manner: keyof typeof MANNERS): ActiveCheck {
  return legacy(facts, async (probe) => {
    const concerned = (await asked(probe, EVERYTHING, manner)).filter(({ questions }) =>
      questions.some((question) => question.method === method),
    );
    if (concerned.length === 0) notObserved(`no allowed call sends ${method}`);
    for (const { answer } of concerned) want(answer.response !== undefined, "an answer", describeAnswer(answer));
  });
}

function legacy(facts: Facts, run: ActiveCheck["run"]): ActiveCheck {
  return { ...facts, until: "2025-11-25", needs: ["a-call"], run };
}

function asks(method: string): (question: JsonObject) => boolean {
  return (question) => question.method === method;
}

function asksInMode(mode: "form" | "url"): (question: JsonObject) => boolean {
  return ({ method, params }) =>
    method === "elicitation/create" && isObject(params) && (params.mode ?? "form") === mode;
}

/** The types of the blocks of each message. */
function blockTypes({ messages }: JsonObject): unknown[][] {
  return (Array.isArray(messages) ? messages : []).map((message) =>
    isObject(message) ? [message.content].flat().map((block) => (isObject(block) ? block.type : undefined)) : [],
  );
}

/** Tool results that are mixed with other blocks, or tool uses without results. */
function conversationFault(params: JsonObject): string | undefined {
  const types = blockTypes(params);
  const isMixed = types.some((all) => all.includes("tool_result") && all.some((type) => type !== "tool_result"));
  if (isMixed) return "tool results beside other content";
  const open = types.findIndex((all, index) => all.includes("tool_use") && !types[index + 1]?.includes("tool_result"));
  return open < 0 ? undefined : "a tool use without a result";
}

export const questions: CheckArea = {
  area: "questions",
  checks: [
    gateCheck(
      {
        id: "question-undeclared-sampling",
        requirement: "sampling:create:not-supported",
        title: "A client that does not declare sampling is not asked for a model.",
        mend: "Look for sampling in the capabilities of initialize before sampling/createMessage is sent.",
        since: "2025-06-18",
      },
      {},
      asks("sampling/createMessage"),
    ),
    gateCheck(
      {
        id: "question-undeclared-roots",
        requirement: "roots:list:server-gated",
        title: "A client that does not declare roots is not asked for them.",
        mend: "Look for roots in the capabilities of initialize before roots/list is sent.",
        since: "2025-06-18",
      },
      {},
      asks("roots/list"),
    ),
    gateCheck(
      {
        id: "question-undeclared-form",
        requirement: "elicitation:capability:server-respects-mode",
        title: "A client that does not declare elicitation is not asked.",
        mend: "Look for elicitation in the capabilities of initialize before elicitation/create is sent.",
      },
      {},
      asks("elicitation/create"),
    ),
    gateCheck(
      {
        id: "question-mode-url",
        requirement: "elicitation:capability:server-respects-mode",
        title: "A client that declares forms alone is not asked to open a page.",
        mend: "Look for elicitation.url in the capabilities of initialize.",
      },
      { elicitation: { form: {} } },
      asksInMode("url"),
    ),
    gateCheck(
      {
        id: "question-mode-form",
        requirement: "elicitation:capability:server-respects-mode",
        title: "A client that declares pages alone is not asked to fill in a form.",
        mend: "Look for elicitation.form in the capabilities of initialize.",
      },
      { elicitation: { url: {} } },
      asksInMode("form"),
    ),
    gateCheck(
      {
        id: "question-sampling-tools",
        requirement: "sampling:tools:server-gated-by-capability",
        title: "A client that does not declare sampling.tools is offered no tools.",
        mend: "Send tools and toolChoice to clients with sampling.tools alone.",
      },
      { sampling: {} },
      ({ method, params }) =>
        method === "sampling/createMessage" && isObject(params) && ("tools" in params || "toolChoice" in params),
    ),
    legacy(
      {
        id: "question-ids",
        requirement: "protocol:request-id:unique",
        title: "Every request of the server has a string or an integer as id, which it uses once.",
        mend: "Count the ids of requests to a client, and never send null.",
      },
      async (probe) => {
        const ids = (await asked(probe)).flatMap(({ questions: all }) => all.map(({ id }) => id));
        if (ids.length === 0) notObserved("no allowed call asks the client; use --call or --fixture");
        const odd = ids.find((id) => typeof id !== "string" && !Number.isInteger(id));
        want(odd === undefined, "strings or integers", odd);
        const twice = repeatedIn(ids);
        want(twice === undefined, "each id once", twice);
      },
    ),
    legacy(
      {
        id: "question-kinds",
        requirement: "sampling:create:request",
        title: "A server asks for forms, models and roots, and pings, and for nothing else.",
        mend: "Send the requests of the revision alone.",
      },
      async (probe) => {
        const all = (await asked(probe)).flatMap(({ questions: found }) => found.map(({ method }) => String(method)));
        if (all.length === 0) notObserved("no allowed call asks the client; use --call or --fixture");
        const odd = all.find((method) => !(method in QUESTION_CAPABILITIES) && !/^(ping$|tasks\/)/.test(method));
        want(odd === undefined, Object.keys(QUESTION_CAPABILITIES).join(", "), odd);
      },
    ),
    questionCheck(
      {
        id: "question-form",
        requirement: "elicitation:form:basic",
        title: "A form has a message and a schema of type object.",
        mend: "Send message as a string, and requestedSchema as a JSON Schema of type object.",
        since: "2025-11-25",
      },
      "elicitation/create",
      ({ message, requestedSchema: schema }) =>
        typeof message === "string" && isObject(schema) && schema.type === "object" ? undefined : { message, schema },
      ({ mode }) => (mode ?? "form") === "form",
    ),
    questionCheck(
      {
        id: "question-form-fields",
        requirement: "elicitation:form:schema:restricted-subset",
        title: "The fields of a form are texts, numbers, booleans or choices, also in the legacy era.",
        mend: "Ask for a flat object of primitive fields.",
      },
      "elicitation/create",
      ({ requestedSchema: schema }) =>
        Object.values(isObject(schema) && isObject(schema.properties) ? schema.properties : {}).find(
          (field) => !isObject(field) || field.type === "object" || "properties" in field,
        ),
      ({ mode }) => (mode ?? "form") === "form",
    ),
    questionCheck(
      {
        id: "question-url",
        requirement: "elicitation:url:valid-url",
        title: "A page to open has a valid URL.",
        mend: "Send url as an absolute URL.",
      },
      "elicitation/create",
      ({ url }) => (typeof url === "string" && URL.canParse(url) ? undefined : { url }),
      ({ mode }) => mode === "url",
    ),
    questionCheck(
      {
        id: "question-url-id",
        requirement: "elicitation:url:elicitation-id",
        title: "A page to open has an elicitationId.",
        mend: "Send elicitationId as a string with each request in the mode url.",
      },
      "elicitation/create",
      ({ elicitationId }) => (typeof elicitationId === "string" ? undefined : { elicitationId }),
      ({ mode }) => mode === "url",
    ),
    questionCheck(
      {
        id: "question-sampling-params",
        requirement: "sampling:create:request",
        title: "A request for a model has messages and maxTokens.",
        mend: "Send messages as a list and maxTokens as a number.",
      },
      "sampling/createMessage",
      ({ messages, maxTokens }) =>
        Array.isArray(messages) && typeof maxTokens === "number" ? undefined : { messages, maxTokens },
    ),
    questionCheck(
      {
        id: "question-sampling-balance",
        requirement: "sampling:tool-use:server-preflight",
        title: "In a request for a model every tool use has its result, and results stand alone.",
        mend: "Follow each message with tool uses by one that holds their results and nothing else.",
      },
      "sampling/createMessage",
      conversationFault,
    ),
    answeredCheck(
      {
        id: "question-answered",
        requirement: "sampling:create:basic",
        title: "A call whose model was asked is answered.",
        mend: "Read the response under the id of the request, and answer the call.",
      },
      "sampling/createMessage",
      "accept",
    ),
    answeredCheck(
      {
        id: "question-declined",
        requirement: "elicitation:form:action:decline",
        title: "A call whose form was declined is answered.",
        mend: "Handle the action decline, and answer the call.",
      },
      "elicitation/create",
      "decline",
    ),
    answeredCheck(
      {
        id: "question-rejected",
        requirement: "sampling:error:user-rejected",
        atMost: "warning",
        title: "A call whose request for a model was refused by the user is answered.",
        mend: "Handle errors of sampling/createMessage, and answer the call.",
      },
      "sampling/createMessage",
      "reject",
    ),
  ],
};
