/** Input rounds of the modern era: calls and prompts that ask the client, and what becomes of its answers. */

import { ASKABLE, cannedAnswer, QUESTION_CAPABILITIES } from "../judge/canned-answers.js";
import type { ActiveCheck, CheckArea } from "../judge/check.js";
import { notApplicable, notObserved, show, want, wantError, wantStatus } from "../judge/expectations.js";
import type { Probe } from "../judge/probe.js";
import { type Answer, describeAnswer, errorOf, resultOf } from "../target/answer.js";
import { CLIENT_CAPABILITIES_KEY } from "../target/envelope.js";
import { isObject, type JsonObject } from "../wire/json-rpc.js";

/** A request that was answered with questions. */
interface Round {
  readonly method: string;
  readonly params: JsonObject;
  readonly result: JsonObject;
}

const MAX_ROUNDS = 8;
const MAX_PROMPTS = 5;

function declaring(params: JsonObject, capabilities: JsonObject): JsonObject {
  return { ...params, _meta: { [CLIENT_CAPABILITIES_KEY]: capabilities } };
}

function questionsOf({ inputRequests }: JsonObject): [key: string, question: JsonObject][] {
  const entries = isObject(inputRequests) ? Object.entries(inputRequests) : [];
  return entries.map(([key, question]) => [key, isObject(question) ? question : {}]);
}

function answersTo(result: JsonObject): JsonObject {
  return Object.fromEntries(questionsOf(result).map(([key, question]) => [key, cannedAnswer(question)]));
}

function isAsking(result: JsonObject | undefined): result is JsonObject {
  return result?.resultType === "input_required";
}

/** Every allowed call, and every prompt without required arguments, that asks a client which can answer anything. */
async function rounds(probe: Probe): Promise<Round[]> {
  const { calls, plainPrompts } = probe.offer;
  const requests = [
    ...calls.map(({ name, arguments: args }) => ({ method: "tools/call", params: { name, arguments: args } })),
    ...plainPrompts.slice(0, MAX_PROMPTS).map(({ name }) => ({ method: "prompts/get", params: { name } })),
  ];
  const asking: Round[] = [];
  for (const { method, params } of requests) {
    const result = resultOf(await probe.askOnce(method, declaring(params, ASKABLE)));
    if (isAsking(result)) asking.push({ method, params, result });
  }
  if (asking.length === 0) notObserved("no allowed call asks the client; use --call or --fixture");
  return asking;
}

/** Sends the request of a round again, with these answers. */
function retry(
  probe: Probe,
  { method, params, result }: Round,
  inputResponses: unknown,
  requestState: unknown = result.requestState,
): Promise<Answer> {
  const state = requestState === undefined ? {} : { requestState };
  return probe.ask(method, declaring({ ...params, inputResponses, ...state }, ASKABLE));
}

/** The first round that has a question. */
async function questioning(probe: Probe): Promise<Round> {
  const found = (await rounds(probe)).find(({ result }) => questionsOf(result).length > 0);
  return found ?? notObserved("no allowed call has a question");
}

/** A check of the result of each round. */
function roundCheck(
  facts: Pick<ActiveCheck, "id" | "requirement" | "title" | "mend" | "atMost">,
  faultOf: (result: JsonObject) => string | undefined,
): ActiveCheck {
  return {
    ...facts,
    since: "2026-07-28",
    async run(probe) {
      for (const { params, result } of await rounds(probe)) {
        const fault = faultOf(result);
        want(fault === undefined, facts.title, `${fault} from ${params.name}`);
      }
    },
  };
}

/** A fault of the params of the questions of a method. */
function questionFault(result: JsonObject, method: string, faultOf: (params: JsonObject) => string | undefined) {
  return questionsOf(result)
    .filter(([, question]) => question.method === method)
    .map(([, { params }]) => faultOf(isObject(params) ? params : {}))
    .find((fault) => fault !== undefined);
}

export const inputRounds: CheckArea = {
  area: "input-rounds",
  checks: [
    roundCheck(
      {
        id: "round-not-empty",
        requirement: "mrtr:input-required:never-empty",
        title: "An input_required result has questions or a state.",
        mend: "Send inputRequests, requestState, or both.",
      },
      (result) =>
        questionsOf(result).length > 0 || result.requestState !== undefined ? undefined : "neither of the two",
    ),
    roundCheck(
      {
        id: "round-questions",
        requirement: "mrtr:input-required:shape",
        title: "inputRequests is an object of requests by key.",
        mend: "Send inputRequests as an object whose values have a method and params.",
      },
      ({ inputRequests }) => {
        if (inputRequests === undefined) return undefined;
        const isRight = isObject(inputRequests) && Object.values(inputRequests).every(isObject);
        return isRight ? undefined : `inputRequests ${show(inputRequests)}`;
      },
    ),
    roundCheck(
      {
        id: "round-question-kinds",
        requirement: "mrtr:requests:kinds",
        title: "Every question asks for a form, a model or the roots.",
        mend: "Ask with elicitation/create, sampling/createMessage and roots/list alone.",
      },
      (result) => {
        const odd = questionsOf(result).find(([, { method }]) => !(String(method) in QUESTION_CAPABILITIES));
        return odd && show(odd[1]);
      },
    ),
    roundCheck(
      {
        id: "round-state-text",
        requirement: "mrtr:input-required:shape",
        title: "requestState is a string, if there is one.",
        mend: "Send requestState as a string, or leave it out.",
      },
      ({ requestState }) =>
        requestState === undefined || typeof requestState === "string"
          ? undefined
          : `requestState ${show(requestState)}`,
    ),
    roundCheck(
      {
        id: "round-form-schema",
        requirement: "elicitation:form:schema:restricted-subset",
        title: "The fields of a form are texts, numbers, booleans or choices.",
        mend: "Ask for a flat object of primitive fields.",
        atMost: "warning",
      },
      (result) =>
        questionFault(result, "elicitation/create", ({ mode, message, requestedSchema }) => {
          if (mode === "url") return undefined;
          if (typeof message !== "string") return "a form without a message";
          const isFlat = isObject(requestedSchema) && requestedSchema.type === "object";
          const fields =
            isFlat && isObject(requestedSchema.properties) ? Object.values(requestedSchema.properties) : [];
          const odd = fields.find((field) => !isObject(field) || field.type === "object" || "properties" in field);
          return isFlat && odd === undefined ? undefined : `requestedSchema ${show(odd ?? requestedSchema)}`;
        }),
    ),
    roundCheck(
      {
        id: "round-sampling-params",
        requirement: "sampling:mrtr:create:basic",
        title: "A question to a model has messages and maxTokens.",
        mend: "Send messages as a list and maxTokens as a number.",
      },
      (result) =>
        questionFault(result, "sampling/createMessage", ({ messages, maxTokens }) =>
          Array.isArray(messages) && typeof maxTokens === "number" ? undefined : `messages ${show(messages)}`,
        ),
    ),
    {
      id: "round-undeclared",
      requirement: "mrtr:requests:undeclared",
      title: "A client is asked only for what it declares.",
      mend: "Compare each question with the capabilities in _meta before it is sent.",
      async run(probe) {
        for (const { method, params, result } of await rounds(probe)) {
          const kinds = new Set(questionsOf(result).map(([, question]) => String(question.method)));
          for (const kind of Object.keys(QUESTION_CAPABILITIES).filter((known) => kinds.has(known))) {
            const { [QUESTION_CAPABILITIES[kind] ?? ""]: _left, ...declared } = ASKABLE;
            const answer = resultOf(await probe.ask(method, declaring(params, declared)));
            const asked = isAsking(answer) && questionsOf(answer).some(([, question]) => question.method === kind);
            want(!asked, `no ${kind}`, answer);
          }
        }
      },
    },
    {
      id: "round-undeclared-error",
      requirement: "errors:modern:missing-client-capability",
      title: "A call that needs an undeclared capability is answered with -32021 and names it.",
      mend: "Send error -32021 with data.requiredCapabilities.",
      async run(probe) {
        const error = wantError(await refused(probe), -32021);
        const required = isObject(error.data) ? error.data.requiredCapabilities : undefined;
        want(isObject(required) && Object.keys(required).length > 0, "requiredCapabilities", error.data);
      },
    },
    {
      id: "round-undeclared-status",
      requirement: "hosting:http:modern:missing-capability-400",
      title: "The refusal of a call that needs an undeclared capability has HTTP status 400.",
      mend: "Send status 400 with error -32021.",
      over: "http",
      async run(probe) {
        const answer = await refused(probe);
        if (errorOf(answer)?.code !== -32021) notApplicable("the refusal has another code");
        wantStatus(answer, 400);
      },
    },
    {
      id: "round-completes",
      requirement: "mrtr:tools-call:write-once-roundtrip",
      // A server may refuse the answers of the checker, or ask again.
      atMost: "warning",
      title: "A call whose questions are all answered ends with a result.",
      mend: "Serve the call again with inputResponses, and ask only what is still open.",
      async run(probe) {
        for (const first of await rounds(probe)) {
          let round = first;
          for (let count = 0; isAsking(round.result); count += 1) {
            want(count < MAX_ROUNDS, `an end after ${MAX_ROUNDS} rounds`, round.result);
            const answer = await retry(probe, round, answersTo(round.result));
            const result = resultOf(answer);
            want(result !== undefined, "a result", describeAnswer(answer));
            round = { ...round, result };
          }
        }
      },
    },
    {
      id: "round-missing-answer",
      requirement: "mrtr:answers:missing",
      title: "A question that was not answered is asked again.",
      mend: "Answer input_required again while an answer is missing.",
      async run(probe) {
        const answer = await retry(probe, await questioning(probe), { "parley-check-other-key": { action: "accept" } });
        want(isAsking(resultOf(answer)), "the question again", describeAnswer(answer));
      },
    },
    {
      id: "round-extra-answer",
      requirement: "mrtr:answers:extra",
      title: "An answer to what was not asked is ignored.",
      mend: "Ignore keys of inputResponses that no question has.",
      async run(probe) {
        const round = await questioning(probe);
        const extra = { "parley-check-other-key": { action: "accept", content: {} } };
        const answer = await retry(probe, round, { ...answersTo(round.result), ...extra });
        want(resultOf(answer) !== undefined, "a result", describeAnswer(answer));
      },
    },
    {
      id: "round-malformed-answer",
      requirement: "mrtr:answers:malformed",
      title: "An answer that is a number does not finish the call.",
      mend: "Check the shape of each answer: error -32602, or ask again.",
      async run(probe) {
        const round = await questioning(probe);
        const wrong = Object.fromEntries(questionsOf(round.result).map(([key]) => [key, 12_345]));
        const answer = await retry(probe, round, wrong);
        want(resultOf(answer)?.resultType !== "complete", "an error or the question", describeAnswer(answer));
      },
    },
    {
      id: "round-state-tampered",
      requirement: "mrtr:state:tampered",
      atMost: "warning",
      title: "A state that was changed is refused.",
      mend: "Sign requestState, and answer -32602 if the signature does not fit.",
      async run(probe) {
        const stateful = (await rounds(probe)).find(({ result }) => typeof result.requestState === "string");
        if (!stateful) notObserved("no allowed call has a state");
        const { result } = stateful;
        const answer = await retry(probe, stateful, answersTo(result), `${result.requestState}-TAMPERED`);
        want(errorOf(answer) !== undefined, "an error", describeAnswer(answer));
      },
    },
  ],
};

/** The refusal of an asking call whose client declares nothing. */
async function refused(probe: Probe): Promise<Answer> {
  for (const { method, params } of await rounds(probe)) {
    const answer = await probe.ask(method, declaring(params, {}));
    if (errorOf(answer)) return answer;
  }
  return notObserved("no asking call is refused to a client without capabilities");
}
