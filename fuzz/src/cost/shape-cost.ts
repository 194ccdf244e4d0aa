/** Parts of messages beyond JSON: their shapes, the rules of answers, forms, and annotations of tools. */
import {
  capabilitiesIn,
  missingCapabilities,
  rootsComplaint,
  samplingAnswerComplaint,
  samplingRequestComplaint,
} from "../../../packages/sdk/src/protocol/answer-rules.js";
import type { ClientCapabilities } from "../../../packages/sdk/src/protocol/capabilities.js";
import { completeResultShape } from "../../../packages/sdk/src/protocol/completion.js";
import type { ElicitFormParams, ElicitResult } from "../../../packages/sdk/src/protocol/elicitation.js";
import { elicitParamsShape, elicitResultShape } from "../../../packages/sdk/src/protocol/elicitation.js";
import { clientCapabilitiesShape } from "../../../packages/sdk/src/protocol/lifecycle.js";
import type { ListRootsResult } from "../../../packages/sdk/src/protocol/roots.js";
import { listRootsResultShape } from "../../../packages/sdk/src/protocol/roots.js";
import type { CreateMessageParams, CreateMessageResult } from "../../../packages/sdk/src/protocol/sampling.js";
import { createMessageParamsShape, createMessageResultShape } from "../../../packages/sdk/src/protocol/sampling.js";
import { explain, type Shape } from "../../../packages/sdk/src/protocol/shape.js";
import { subscriptionsListenParamsShape } from "../../../packages/sdk/src/protocol/subscriptions.js";
import { findToolHeaders } from "../../../packages/sdk/src/protocol/tool-header-annotations.js";
import { callToolResultShape, listToolsResultShape } from "../../../packages/sdk/src/protocol/tools.js";
import { jsonBytes } from "../../../packages/sdk/src/runtime/json-size.js";
import { applyDefaults, checkOf } from "../../../packages/sdk/src/schema/form-schema.js";
import { excessOfText } from "../../../packages/sdk/src/wire/json-limits.js";
import type { Random } from "../random.js";
import type { CostTarget } from "./cost-target.js";
import { items, jsonOf, lengthOf, members, mutatePart, object, type Part, plain, text } from "./parts.js";

/** The longest line that a client or a server reads by default. */
const MAX_BYTES = 10 * 1024 * 1024;
const REVISION = "2026-07-28";

const id = text("a", 1, "", "%");
/** Strings from here on are hashed by their length alone. */
const longId = text("a", 16_400, "", "%");
const name = text("k%");
const use = (toolUseId: Part) => object({ type: plain("tool_use"), id: toolUseId, name, input: object({}) });
const settled = (toolUseId: Part) => object({ type: plain("tool_result"), toolUseId, content: items(plain(0), 0) });
const conversation = (toolUseId: Part) =>
  object({
    messages: object({
      "0": object({ role: plain("assistant"), content: items(use(toolUseId)) }),
      "1": object({ role: plain("user"), content: items(settled(toolUseId)) }),
    }),
    maxTokens: plain(1),
  });
const field = object({ type: plain("string"), default: text("d%") });
const annotated = object({ type: plain("string"), "x-mcp-header": text("h%") });

/** A form with the content that was entered into it. */
interface FilledForm {
  readonly form: ElicitFormParams["requestedSchema"];
  readonly content: NonNullable<ElicitResult["content"]>;
}

type Work = (value: unknown) => void;

/** Kinds of messages with what is done with each, and values to begin with. */
const KINDS: Readonly<Record<string, readonly [work: Work, seeds: readonly Part[]]>> = {
  "sampling-request": [
    (value) => {
      const params = withMessageList(value);
      if (isSound(createMessageParamsShape, params)) samplingRequestComplaint(params as CreateMessageParams, REVISION);
    },
    [conversation(id), conversation(longId)],
  ],
  "sampling-answer": [
    (value) => {
      const params: CreateMessageParams = {
        messages: [],
        maxTokens: 1,
        tools: [{ name: "a", inputSchema: { type: "object" } }],
      };
      if (!isSound(createMessageResultShape, value)) return;
      samplingAnswerComplaint(params, value as CreateMessageResult, REVISION);
    },
    [id, longId].map((toolUseId) =>
      object({ role: plain("assistant"), model: plain("m"), content: items(use(toolUseId)) }),
    ),
  ],
  roots: [
    (value) => isSound(listRootsResultShape, value) && rootsComplaint(value as ListRootsResult),
    [text("/a", 4, "file://"), text("%41", 4, "file:///"), text("/..a", 4, "file://")].map((uri) =>
      object({ roots: items(object({ uri })) }),
    ),
  ],
  capabilities: [
    (value) => {
      if (!isSound(clientCapabilitiesShape, value)) return;
      const declared = capabilitiesIn("2025-06-18", value as ClientCapabilities);
      missingCapabilities(declared, {});
      missingCapabilities(declared, declared);
    },
    [object({ experimental: members(name, members(name, object({}))), elicitation: object({}) })],
  ],
  tools: [
    (value) => isSound(listToolsResultShape, value),
    [
      object({
        tools: items(
          object({ name, inputSchema: object({ type: plain("object") }), icons: items(object({ src: name })) }),
        ),
      }),
    ],
  ],
  content: [
    (value) => isSound(callToolResultShape, value),
    [
      object({
        content: items(
          object({ type: plain("text"), text: name, annotations: object({ audience: items(plain("user")) }) }),
        ),
      }),
      object({ content: items(object({ type: text("t%", 9) })) }),
    ],
  ],
  completion: [
    (value) => isSound(completeResultShape, value),
    [object({ completion: object({ values: items(name) }) })],
  ],
  listen: [
    (value) => isSound(subscriptionsListenParamsShape, value),
    [object({ notifications: object({ resourceSubscriptions: items(text("a", 9, "x://", "%")) }) })],
  ],
  form: [
    (value) => {
      const { form, content } = value as FilledForm;
      const params = { message: "m", requestedSchema: form };
      if (!isSound(elicitParamsShape, params) || !isSound(elicitResultShape, { action: "accept", content })) return;
      const check = checkIn(form);
      check?.(applyDefaults(form, content));
    },
    [
      object({
        form: object({ type: plain("object"), properties: members(name, field) }),
        content: members(name, plain("a")),
      }),
      object({
        form: object({ type: plain("object"), properties: members(name, field), required: items(name) }),
        content: members(text("j%"), plain(1)),
      }),
      object({
        form: object({
          type: plain("object"),
          properties: members(name, object({ type: plain("string"), enum: items(name) })),
        }),
        content: members(name, plain("b")),
      }),
    ],
  ],
  "tool-headers": [
    (value) => {
      const found = findToolHeaders(value);
      if (found.ok) jsonBytes(found.headers);
    },
    [
      object({ properties: members(name, annotated) }),
      object({ properties: members(name, object({ properties: members(name, object({})) })) }),
      object({ allOf: items(object({ "x-mcp-header": text("h", 9) })) }),
      object({ properties: members(longId, annotated) }),
    ],
  ],
};

export const SHAPE_COSTS: readonly CostTarget<Part>[] = Object.entries(KINDS).map(([kind, [work, seeds]]) => ({
  name: `cost-shape-${kind}`,
  seed: (random) => random.pick(seeds),
  mutate: kind === "tool-headers" ? mutateNested : mutatePart,
  bytes: lengthOf,
  prepare(input) {
    if (lengthOf(input) > MAX_BYTES) return undefined;
    const json = JSON.stringify(jsonOf(input));
    if (json.length > MAX_BYTES || excessOfText(json, {}) !== undefined) return undefined;
    // As from the wire: no string has been hashed or compared before.
    const received: unknown = JSON.parse(json);
    return () => work(received);
  },
  show: (input) => JSON.stringify(input),
}));

function isSound(shape: Shape, value: unknown): boolean {
  const fault = shape(value);
  if (fault) explain(fault, "params");
  return fault === undefined;
}

/** Parts have no lists of unlike items, so the messages are members of an object. */
function withMessageList(value: unknown): unknown {
  const params = value as { readonly messages: object };
  return { ...params, messages: Object.values(params.messages) };
}

/** Annotations cost most far from the root. */
function mutateNested(part: Part, random: Random): Part {
  let nested = mutatePart(part, random);
  if (!random.oneIn(3)) return nested;
  for (let levels = random.pick([1, 10, 100]); levels > 0; levels -= 1) {
    nested = object({ properties: object({ a: nested }) });
  }
  return nested;
}

/** The check of a form; undefined for a form that is refused. */
function checkIn(form: FilledForm["form"]): ReturnType<typeof checkOf> | undefined {
  try {
    return checkOf(form);
  } catch {
    return undefined;
  }
}
