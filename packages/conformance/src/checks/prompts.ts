/** Prompts and the completion of their arguments. */
import type { ActiveCheck, CheckArea } from "../judge/check.js";
import { notObserved, want, wantError, wantRefusal, wantResult } from "../judge/expectations.js";
import type { Probe } from "../judge/probe.js";
import { resultOf } from "../target/answer.js";
import { isObject, type JsonObject } from "../wire/json-rpc.js";
import { blockFault } from "./content.js";

const NO_PROMPT = "parley-check-no-such-prompt";

async function gotPrompt(probe: Probe): Promise<JsonObject> {
  const { plainPrompt } = probe.offer;
  return wantResult(await probe.askOnce("prompts/get", { name: plainPrompt?.name }));
}

async function messagesOfPrompt(probe: Probe): Promise<JsonObject[]> {
  const { plainPrompt } = probe.offer;
  const messages = resultOf(await probe.askOnce("prompts/get", { name: plainPrompt?.name }))?.messages;
  if (!Array.isArray(messages)) notObserved("the prompt has no messages");
  return messages.filter(isObject);
}

/** The completion of an argument of a listed prompt or template. */
async function completed(probe: Probe): Promise<JsonObject> {
  const { demandingPrompt, prompts, templates } = probe.offer;
  const prompt = demandingPrompt ?? prompts.find(({ arguments: listed }) => Array.isArray(listed) && listed.length > 0);
  const [argument] = Array.isArray(prompt?.arguments) ? prompt.arguments : [];
  const variable = /\{[+#./;?&]?([\w.%]+)/.exec(String(templates[0]?.uriTemplate))?.[1];
  if (!argument && variable === undefined) notObserved("no prompt or template has an argument to complete");
  const params = argument
    ? { ref: { type: "ref/prompt", name: prompt?.name }, argument: { name: argument.name, value: "" } }
    : { ref: { type: "ref/resource", uri: templates[0]?.uriTemplate }, argument: { name: variable, value: "" } };
  const { completion } = wantResult(await probe.askOnce("completion/complete", params));
  return isObject(completion) ? completion : {};
}

interface BadCompletion {
  readonly id: string;
  readonly what: string;
  readonly requirement: string;
  readonly params: JsonObject;
}

const ARGUMENT = { name: "argument", value: "" };

const BAD_COMPLETIONS: readonly BadCompletion[] = [
  {
    id: "completion-unknown-prompt",
    what: "for an unknown prompt",
    requirement: "completion:error:invalid-ref",
    params: { ref: { type: "ref/prompt", name: NO_PROMPT }, argument: ARGUMENT },
  },
  {
    id: "completion-unknown-template",
    what: "for an unknown template",
    requirement: "completion:error:invalid-ref",
    params: { ref: { type: "ref/resource", uri: "parley-check://{none}" }, argument: ARGUMENT },
  },
  {
    id: "completion-without-ref",
    what: "without a reference",
    requirement: "completion:error:malformed",
    params: { argument: ARGUMENT },
  },
  {
    id: "completion-without-argument",
    what: "without an argument",
    requirement: "completion:error:malformed",
    params: { ref: { type: "ref/prompt", name: NO_PROMPT } },
  },
];

function badCompletion({ id, what, requirement, params }: BadCompletion): ActiveCheck {
  return {
    id,
    requirement,
    title: `A completion ${what} is refused with -32602.`,
    mend: "Check params.ref and params.argument before completing: error -32602.",
    needs: ["completions"],
    async run(probe) {
      const known = probe.offer.demandingPrompt ?? probe.offer.prompts[0];
      const isAboutArgument = id === "completion-without-argument" && known !== undefined;
      const sent = isAboutArgument ? { ref: { type: "ref/prompt", name: known.name } } : params;
      wantError(await probe.ask("completion/complete", sent), -32602);
    },
  };
}

export const prompts: CheckArea = {
  area: "prompts",
  checks: [
    {
      id: "prompt-get",
      requirement: "prompts:get:no-args",
      title: "A prompt without required arguments returns a list of messages.",
      mend: "Return messages as an array.",
      needs: ["a-plain-prompt"],
      async run(probe) {
        const { messages } = await gotPrompt(probe);
        want(Array.isArray(messages), "an array as messages", messages);
      },
    },
    {
      id: "prompt-roles",
      requirement: "prompts:get:multi-message",
      title: "Every message of a prompt has the role user or assistant.",
      mend: "Use the roles user and assistant.",
      needs: ["a-plain-prompt"],
      async run(probe) {
        const odd = (await messagesOfPrompt(probe)).find(({ role }) => role !== "user" && role !== "assistant");
        want(odd === undefined, "user or assistant", odd?.role);
      },
    },
    {
      id: "prompt-content",
      requirement: "prompts:get:content:formats",
      title: "Every message of a prompt has one well-formed content block.",
      mend: "Send content as a single block of a type of the revision.",
      needs: ["a-plain-prompt"],
      async run(probe) {
        const fault = (await messagesOfPrompt(probe))
          .map(({ content }) => blockFault(content))
          .find((item) => item !== undefined);
        want(fault === undefined, "a content block", fault);
      },
    },
    {
      id: "prompt-description",
      requirement: "prompts:get:no-args",
      title: "The description of a prompt's result is text.",
      mend: "Send description as a string, or leave it out.",
      needs: ["a-plain-prompt"],
      async run(probe) {
        const { description } = await gotPrompt(probe);
        want(description === undefined || typeof description === "string", "a string or nothing", description);
      },
    },
    {
      id: "prompt-unknown",
      requirement: "prompts:get:unknown-name",
      title: "Getting a prompt that does not exist is answered with -32602.",
      mend: "Answer unknown prompts with error -32602.",
      needs: ["prompts"],
      async run(probe) {
        wantError(await probe.ask("prompts/get", { name: NO_PROMPT }), -32602);
      },
    },
    {
      id: "prompt-name-missing",
      requirement: "protocol:error:invalid-params",
      title: "A prompts/get without a name is refused.",
      mend: "Check that params.name is a string: error -32602.",
      needs: ["prompts"],
      async run(probe) {
        wantRefusal(await probe.ask("prompts/get", {}));
      },
    },
    {
      id: "prompt-argument-missing",
      requirement: "prompts:get:missing-required-args",
      title: "A prompt without a required argument is answered with -32602.",
      mend: "Check required arguments before the prompt is made: error -32602.",
      needs: ["a-prompt-with-required-argument"],
      async run(probe) {
        wantError(await probe.ask("prompts/get", { name: probe.offer.demandingPrompt?.name }), -32602);
      },
    },
    ...BAD_COMPLETIONS.map(badCompletion),
    {
      id: "completion-values",
      requirement: "completion:result-shape",
      title: "A completion returns a list of strings.",
      mend: "Return completion.values as an array of strings.",
      needs: ["completions"],
      async run(probe) {
        const { values } = await completed(probe);
        want(Array.isArray(values) && values.every((value) => typeof value === "string"), "strings", values);
      },
    },
    {
      id: "completion-limit",
      requirement: "completion:result-shape",
      title: "A completion returns at most 100 values.",
      mend: "Cut completion.values to 100, and set hasMore.",
      needs: ["completions"],
      async run(probe) {
        const { values } = await completed(probe);
        want(
          !Array.isArray(values) || values.length <= 100,
          "100 values at most",
          Array.isArray(values) ? values.length : 0,
        );
      },
    },
    {
      id: "completion-total",
      requirement: "completion:result-shape",
      title: "The total of a completion is a whole number, and hasMore a boolean.",
      mend: "Send total as an integer and hasMore as a boolean, or leave them out.",
      needs: ["completions"],
      async run(probe) {
        const { total, hasMore } = await completed(probe);
        const isRight =
          (total === undefined || Number.isInteger(total)) && ["undefined", "boolean"].includes(typeof hasMore);
        want(isRight, "an integer and a boolean", { total, hasMore });
      },
    },
  ],
};
