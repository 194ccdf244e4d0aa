/** Calls of tools. Names that no server has are always tried; real tools only where the user allowed it. */
import type { ActiveCheck, CheckArea } from "../judge/check.js";
import { notApplicable, notObserved, show, want, wantError, wantResult } from "../judge/expectations.js";
import { SchemaNotUnderstood, schemaFault } from "../judge/json-schema.js";
import type { AllowedCall } from "../judge/offer.js";
import type { Probe } from "../judge/probe.js";
import { type Answer, describeAnswer, errorOf, resultOf } from "../target/answer.js";
import { isNotification, isObject, type JsonObject } from "../wire/json-rpc.js";
import { blockFault } from "./content.js";

const NO_TOOL = "parley-check-no-such-tool";

const CONTENT_REQUIREMENTS = {
  text: "tools:call:content:text",
  image: "tools:call:content:image",
  audio: "tools:call:content:audio",
  resource_link: "tools:call:content:resource-link",
  resource: "tools:call:content:embedded-resource",
} as const;

interface MadeCall {
  readonly call: AllowedCall;
  readonly answer: Answer;
  readonly result: JsonObject;
}

/** Every allowed call, made once. */
async function callAll(probe: Probe): Promise<readonly [MadeCall, ...MadeCall[]]> {
  const made: MadeCall[] = [];
  for (const call of probe.offer.calls) {
    const answer = await probe.call(call);
    const result = resultOf(answer);
    if (result && (result.resultType ?? "complete") === "complete") made.push({ call, answer, result });
  }
  const [first, ...others] = made;
  return first ? [first, ...others] : notObserved("no allowed call has a result");
}

/** A test of the result of each allowed call. */
function resultCheck(
  facts: Pick<ActiveCheck, "id" | "requirement" | "title" | "mend" | "since">,
  faultOf: (result: JsonObject, call: AllowedCall) => string | undefined,
): ActiveCheck {
  return {
    ...facts,
    needs: ["a-call"],
    async run(probe) {
      for (const { call, result } of await callAll(probe)) {
        const fault = faultOf(result, call);
        want(fault === undefined, facts.title, `${fault} from ${call.name}`);
      }
    },
  };
}

function blocksOf(result: JsonObject): unknown[] {
  return Array.isArray(result.content) ? result.content : [];
}

function progressOf(answer: Answer): JsonObject[] {
  return answer.messages
    .filter(isNotification)
    .filter(({ method }) => method === "notifications/progress")
    .map(({ params }) => (isObject(params) ? params : {}));
}

export const tools: CheckArea = {
  area: "tools",
  checks: [
    {
      id: "tool-unknown",
      requirement: "tools:call:unknown-name",
      title: "Calling a tool that does not exist is answered with -32602.",
      mend: "Answer unknown tools with a protocol error, not with a result.",
      needs: ["tools"],
      async run(probe) {
        wantError(await probe.ask("tools/call", { name: NO_TOOL, arguments: {} }), -32602);
      },
    },
    {
      id: "tool-name-missing",
      requirement: "protocol:error:invalid-params",
      title: "A tools/call without a name is refused.",
      mend: "Check that params.name is a string: error -32602.",
      needs: ["tools"],
      async run(probe) {
        wantFailedCall(await probe.ask("tools/call", { arguments: {} }));
      },
    },
    {
      id: "tool-prototype-name",
      requirement: "tools:call:prototype-name",
      title: "A tool named like a member of objects is unknown.",
      mend: "Look tools up in a Map, or check own properties only.",
      needs: ["tools"],
      async run(probe) {
        for (const name of ["__proto__", "constructor", "toString"]) {
          const answer = await probe.ask("tools/call", { name, arguments: {} });
          wantFailedCall(answer);
          want(errorOf(answer)?.code !== -32603, "an error for an unknown tool", describeAnswer(answer));
        }
      },
    },
    {
      id: "tool-arguments-type",
      requirement: "protocol:error:invalid-params",
      title: "A call whose arguments are a list is refused.",
      mend: "Check that params.arguments is an object: error -32602.",
      needs: ["a-call"],
      async run(probe) {
        const [call] = probe.offer.calls;
        const answer = await probe.ask("tools/call", { name: call?.name, arguments: ["parley-check"] });
        wantFailedCall(answer);
      },
    },
    {
      id: "tool-invalid-arguments",
      requirement: "tools:input-validation:tool-error",
      title: "Arguments that fail the input schema give a result with isError.",
      mend: "Validate arguments against inputSchema, and return isError with a text that names the fault.",
      needs: ["a-call"],
      async run(probe) {
        wantInvalid(await callInvalid(probe), (answer) => resultOf(answer)?.isError === true, "a result with isError");
      },
    },
    {
      id: "tool-invalid-params",
      requirement: "tools:input-validation:invalid-params",
      title: "Arguments that fail the input schema are answered with -32602 before 2025-11-25.",
      mend: "Validate arguments against inputSchema before the tool runs.",
      needs: ["a-call"],
      async run(probe) {
        const isRefused = (answer: Answer) => errorOf(answer)?.code === -32602 || resultOf(answer)?.isError === true;
        wantInvalid(await callInvalid(probe), isRefused, "error -32602");
      },
    },
    {
      id: "tool-task-param-ignored",
      requirement: "tasks:no-capability:ignore-task-param",
      title: "A server without tasks serves a call that asks to run as a task.",
      mend: "Ignore params.task if the server does not declare tasks.",
      needs: ["a-call"],
      async run(probe) {
        if (isObject(probe.offer.capabilities.tasks)) notApplicable("the server declares tasks");
        const [{ call }] = await callAll(probe);
        wantResult(await probe.ask("tools/call", { name: call.name, arguments: call.arguments, task: { ttl: 1000 } }));
      },
    },
    resultCheck(
      {
        id: "tool-result-content",
        requirement: "tools:call:content:text",
        title: "The result of a call has a list of content blocks.",
        mend: "Return content as an array, which may be empty.",
      },
      ({ content }) => (Array.isArray(content) ? undefined : `content ${show(content)}`),
    ),
    ...(["text", "image", "audio", "resource_link", "resource"] as const).map((type) =>
      resultCheck(
        {
          id: `tool-content-${type.replace("_", "-")}`,
          requirement: CONTENT_REQUIREMENTS[type],
          title: `Every ${type} block of a call's result is well formed.`,
          mend: `Send ${type} blocks as the schema of the revision has them.`,
        },
        (result) => {
          const blocks = blocksOf(result).filter((block) => isObject(block) && block.type === type);
          return blocks.map(blockFault).find((fault) => fault !== undefined);
        },
      ),
    ),
    resultCheck(
      {
        id: "tool-content-types",
        requirement: "tools:call:content:mixed",
        title: "Every block of a call's result has a type of the revision.",
        mend: "Use the types text, image, audio, resource_link and resource.",
      },
      (result) => {
        const odd = blocksOf(result).find((block) => !isObject(block) || !(String(block.type) in CONTENT_REQUIREMENTS));
        return odd === undefined ? undefined : show(odd);
      },
    ),
    resultCheck(
      {
        id: "tool-is-error-boolean",
        requirement: "tools:call:is-error",
        title: "isError is a boolean, if a result has it.",
        mend: "Send isError as true or false, or leave it out.",
      },
      ({ isError }) => (isError === undefined || typeof isError === "boolean" ? undefined : `isError ${show(isError)}`),
    ),
    resultCheck(
      {
        id: "tool-structured-present",
        requirement: "tools:output-schema:missing-structured",
        title: "A tool with an output schema returns structured content.",
        mend: "Return structuredContent from each tool that lists an outputSchema.",
        since: "2025-06-18",
      },
      ({ structuredContent, isError }, { tool }) =>
        isObject(tool?.outputSchema) && isError !== true && structuredContent === undefined
          ? "no structuredContent"
          : undefined,
    ),
    resultCheck(
      {
        id: "tool-structured-valid",
        requirement: "tools:output-schema:server-validates",
        title: "Structured content is valid against the output schema.",
        mend: "Validate structuredContent against outputSchema before it is sent.",
        since: "2025-06-18",
      },
      ({ structuredContent, isError }, { tool }) =>
        isError === true || structuredContent === undefined
          ? undefined
          : structuredFault(tool?.outputSchema, structuredContent),
    ),
    resultCheck(
      {
        id: "tool-structured-mirrored",
        requirement: "tools:call:structured-content:text-mirror",
        title: "Structured content comes with its JSON as a text block.",
        mend: "Add a text block with the JSON of structuredContent.",
      },
      (result) => {
        if (result.structuredContent === undefined || result.isError === true) return undefined;
        const texts = blocksOf(result).filter((block) => isObject(block) && block.type === "text");
        return texts.length > 0 ? undefined : "no text block";
      },
    ),
    {
      id: "tool-no-arguments",
      requirement: "tools:call:no-arguments",
      title: "A tool without required arguments can be called without arguments.",
      mend: "Treat absent arguments as an empty object.",
      needs: ["a-call"],
      async run(probe) {
        for (const call of probe.offer.calls.filter(({ arguments: args }) => Object.keys(args).length === 0)) {
          // A tool may need a client that can be asked, or a task.
          if (resultOf(await probe.call(call)) === undefined) continue;
          wantResult(await probe.ask("tools/call", { name: call.name }));
          return;
        }
        notObserved("no allowed call without arguments is served");
      },
    },
    {
      id: "tool-calls-at-once",
      requirement: "tools:call:concurrent",
      title: "Calls that are made at the same time are all answered.",
      mend: "Serve a request while others are in progress.",
      needs: ["a-call"],
      async run(probe) {
        const [call] = probe.offer.calls;
        const params = { name: call?.name, arguments: call?.arguments };
        const answers = await Promise.all([1, 2, 3].map(() => probe.ask("tools/call", params)));
        const silent = answers.find(({ response }) => response === undefined);
        want(silent === undefined, "three answers", silent ? describeAnswer(silent) : "");
      },
    },
    {
      id: "progress-token",
      requirement: "protocol:progress:callback",
      title: "Progress carries the token of its request.",
      mend: "Copy _meta.progressToken of the request into each notifications/progress.",
      needs: ["a-call"],
      async run(probe) {
        const reports = (await callAll(probe)).flatMap(({ answer }) => progressOf(answer));
        if (reports.length === 0) notObserved("no allowed call reports progress");
        const odd = reports.find(({ progressToken }) => progressToken !== "parley-check");
        want(odd === undefined, '"parley-check" as progressToken', odd);
      },
    },
    {
      id: "progress-rises",
      requirement: "protocol:progress:monotonic",
      title: "Progress rises with each report.",
      mend: "Send a report only if its progress exceeds the one before.",
      needs: ["a-call"],
      async run(probe) {
        const calls = (await callAll(probe)).map(({ answer }) =>
          progressOf(answer).map(({ progress }) => Number(progress)),
        );
        if (calls.every((values) => values.length < 2)) notObserved("no allowed call reports progress twice");
        const odd = calls.find((values) =>
          values.some((value, index) => index > 0 && !(value > Number(values[index - 1]))),
        );
        want(odd === undefined, "rising numbers", odd);
      },
    },
    {
      id: "progress-before-answer",
      requirement: "protocol:progress:stops-after-completion",
      title: "No progress follows the answer.",
      mend: "Stop reports when the request has been answered.",
      needs: ["a-call"],
      async run(probe) {
        const answers = (await callAll(probe)).map(({ answer }) => answer);
        if (answers.every((answer) => progressOf(answer).length === 0)) notObserved("no allowed call reports progress");
        const late = answers.flatMap((answer) =>
          progressOf({ ...answer, messages: answer.messages.slice(answer.messages.indexOf(answer.response) + 1) }),
        );
        want(late.length === 0, "no progress after the answer", late[0]);
      },
    },
    {
      id: "progress-unasked",
      requirement: "protocol:progress:no-token",
      title: "A call without a progress token gets no progress.",
      mend: "Send notifications/progress only if the request has a progressToken.",
      needs: ["a-call"],
      async run(probe) {
        for (const { name, arguments: args } of probe.offer.calls) {
          const answer = await probe.ask("tools/call", { name, arguments: args });
          const [report] = progressOf(answer);
          want(report === undefined, "no progress", report);
        }
      },
    },
  ],
};

/** A call of an allowed tool that lacks a required argument. */
async function callInvalid(probe: Probe): Promise<Answer> {
  for (const { name, tool } of probe.offer.calls) {
    const schema = isObject(tool?.inputSchema) ? tool.inputSchema : {};
    if (Array.isArray(schema.required) && schema.required.length > 0) {
      return probe.ask("tools/call", { name, arguments: {} });
    }
  }
  return notObserved("no allowed tool has a required argument");
}

/** A protocol error, or a tool that says it failed. */
function wantFailedCall(answer: Answer): void {
  const isFailed = errorOf(answer) !== undefined || resultOf(answer)?.isError === true;
  want(isFailed, "error -32602", describeAnswer(answer));
}

function wantInvalid(answer: Answer, isRefused: (answer: Answer) => boolean, expected: string): void {
  want(isRefused(answer), expected, describeAnswer(answer));
}

/** What is wrong with structured content. A schema that the checker does not understand decides nothing. */
function structuredFault(schema: unknown, value: unknown): string | undefined {
  if (!isObject(schema)) return undefined;
  try {
    const fault = schemaFault(schema, value);
    return fault === undefined ? undefined : `structuredContent: ${fault}`;
  } catch (error) {
    if (error instanceof SchemaNotUnderstood)
      notObserved(`the checker does not understand the schema: ${error.message}`);
    throw error;
  }
}
