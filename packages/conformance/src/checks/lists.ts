/** The four lists: their shape, their pages, and the fields of their items. */
import type { ActiveCheck, CheckArea } from "../judge/check.js";
import { notApplicable, notObserved, repeatedIn, show, want, wantError, wantResult } from "../judge/expectations.js";
import type { Need } from "../judge/needs.js";
import { LIST_MEMBERS, LIST_METHODS, LIST_NAMES, type ListName } from "../judge/offer.js";
import type { Probe } from "../judge/probe.js";
import { schemaFormFault } from "../judge/schema-form.js";
import { resultOf } from "../target/answer.js";
import { isObject, type JsonObject } from "../wire/json-rpc.js";

/** The field that names an item. */
const KEYS: Readonly<Record<ListName, string>> = {
  tools: "name",
  resources: "uri",
  templates: "uriTemplate",
  prompts: "name",
};

/** The capability of a list, which is also its feature in the manifest. */
const FEATURES: Readonly<Record<ListName, Need>> = {
  tools: "tools",
  resources: "resources",
  templates: "resources",
  prompts: "prompts",
};

const BASIC: Readonly<Record<ListName, string>> = {
  tools: "tools:list:basic",
  resources: "resources:list:basic",
  templates: "resources:templates:list",
  prompts: "prompts:list:basic",
};

const PAGES: Readonly<Record<ListName, string>> = {
  tools: "tools:list:pagination",
  resources: "resources:list:pagination",
  templates: "resources:templates:pagination",
  prompts: "prompts:list:pagination",
};

function checksOf(list: ListName): ActiveCheck[] {
  const method = LIST_METHODS[list];
  const member = LIST_MEMBERS[list];
  const key = KEYS[list];
  const needs = [FEATURES[list]];
  return [
    {
      id: `${list}-list-shape`,
      requirement: BASIC[list],
      title: `${method} returns a list of objects under ${member}.`,
      mend: `Return ${member} as an array, which may be empty.`,
      needs,
      async run(probe) {
        const items = wantResult(await probe.askOnce(method))[member];
        want(Array.isArray(items) && items.every(isObject), `an array of objects as ${member}`, items);
      },
    },
    {
      id: `${list}-list-names`,
      requirement: BASIC[list],
      title: `Every item of ${method} has its ${key} and its name.`,
      mend: `Give each item a ${key} and a name, both strings.`,
      needs,
      async run(probe) {
        const odd = itemsOf(probe, list).find((item) => typeof item[key] !== "string" || typeof item.name !== "string");
        want(odd === undefined, `items with ${key} and name`, odd);
      },
    },
    {
      id: `${list}-list-unique`,
      requirement: list === "tools" ? "tools:register:duplicate-name" : PAGES[list],
      title: `No ${key} is listed twice by ${method}.`,
      mend: `List each ${key} once over all pages.`,
      needs,
      async run(probe) {
        const names = itemsOf(probe, list).map((item) => item[key]);
        const twice = repeatedIn(names);
        want(twice === undefined, `each ${key} once`, twice);
      },
    },
    {
      id: `${list}-cursor-unknown`,
      requirement: "pagination:invalid-cursor",
      title: `${method} refuses a cursor that it did not hand out with -32602.`,
      mend: "Answer unknown cursors with -32602 and not with the first page.",
      needs,
      async run(probe) {
        wantError(await probe.ask(method, { cursor: "parley-check-no-such-cursor" }), -32602);
      },
    },
    {
      id: `${list}-cursor-type`,
      requirement: "pagination:invalid-cursor",
      title: `${method} refuses a cursor that is no string with -32602.`,
      mend: "Check that params.cursor is a string.",
      needs,
      async run(probe) {
        wantError(await probe.ask(method, { cursor: { page: 2 } }), -32602);
      },
    },
    {
      id: `${list}-pages-end`,
      requirement: "pagination:exhaustion",
      title: `The pages of ${method} come to an end.`,
      mend: "Leave nextCursor out of the last page, and never hand out the same cursor twice.",
      needs,
      async run(probe) {
        const { pages } = probe.offer.listings[list];
        probe.touch(...pages);
        if (pages.length < 2) notApplicable("the list fits on one page");
        const last = pages.at(-1);
        const next = last && resultOf(last)?.nextCursor;
        want(next === undefined, "a last page without nextCursor", next);
      },
    },
    {
      id: `${list}-pages-nonempty`,
      requirement: PAGES[list],
      // The server determines the sizes of pages.
      atMost: "note",
      title: `Every page of ${method} before the last holds items.`,
      mend: "Hand out a cursor only if there are items behind it.",
      needs,
      async run(probe) {
        const { pages } = probe.offer.listings[list];
        probe.touch(...pages);
        if (pages.length < 2) notApplicable("the list fits on one page");
        const empty = pages.slice(0, -1).find((page) => !nonEmpty(resultOf(page)?.[member]));
        want(empty === undefined, "a page with items", "an empty page with nextCursor");
      },
    },
    {
      id: `${list}-titles`,
      requirement: `${FEATURES[list]}:list:title`,
      title: `The titles and descriptions of ${method} are text.`,
      mend: "Send title and description as strings, or leave them out.",
      needs,
      async run(probe) {
        const odd = itemsOf(probe, list).find(
          ({ title, description }) => !isTextOrAbsent(title) || !isTextOrAbsent(description),
        );
        want(odd === undefined, "strings as title and description", odd);
      },
    },
    {
      id: `${list}-icons`,
      requirement: `${FEATURES[list]}:list:icons`,
      title: `The icons of ${method} have a source that is an https or data URI.`,
      mend: "Give each icon a src with an https: or data: URI.",
      needs,
      async run(probe) {
        const items = itemsOf(probe, list).filter(({ icons }) => icons !== undefined);
        if (items.length === 0) notApplicable("no item has icons");
        const odd = items.find(({ icons }) => !Array.isArray(icons) || !icons.every(isIcon));
        want(odd === undefined, "icons with src", odd?.icons);
      },
    },
  ];
}

function nonEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}

function isTextOrAbsent(value: unknown): boolean {
  return value === undefined || typeof value === "string";
}

function isIcon(icon: unknown): boolean {
  return isObject(icon) && typeof icon.src === "string" && /^(https?:|data:)/.test(icon.src);
}

function itemsOf(probe: Probe, list: ListName): readonly JsonObject[] {
  const { items, pages } = probe.offer.listings[list];
  probe.touch(...pages);
  if (items.length === 0) notObserved("the list is empty");
  return items;
}

/** Items of a list for which a test does not hold. */
function itemCheck(
  list: ListName,
  facts: Pick<ActiveCheck, "id" | "requirement" | "title" | "mend"> & Pick<ActiveCheck, "since">,
  isRight: (item: JsonObject) => boolean,
): ActiveCheck {
  return {
    ...facts,
    needs: [FEATURES[list]],
    async run(probe) {
      const odd = itemsOf(probe, list).find((item) => !isRight(item));
      want(odd === undefined, facts.title, show(odd));
    },
  };
}

export const lists: CheckArea = {
  area: "lists",
  checks: [
    ...LIST_NAMES.flatMap(checksOf),
    {
      id: "tools-list-order",
      requirement: "tools:list:order",
      title: "tools/list keeps its order from one request to the next.",
      mend: "List tools in a fixed order, such as that of their registration.",
      needs: ["a-tool"],
      async run(probe) {
        const order = (answer: JsonObject | undefined) => JSON.stringify(answer?.tools);
        const first = resultOf(await probe.ask("tools/list"));
        const second = resultOf(await probe.ask("tools/list"));
        want(order(first) === order(second), "the same list again", order(second) ?? "nothing");
      },
    },
    itemCheck(
      "tools",
      {
        id: "tools-input-schema",
        requirement: "tools:input-schema:json-schema-2020-12",
        title: "Every tool has an inputSchema, which is a JSON Schema of type object.",
        mend: 'Give each tool an inputSchema with "type": "object".',
      },
      ({ inputSchema }) => isObject(inputSchema) && inputSchema.type === "object",
    ),
    itemCheck(
      "tools",
      {
        id: "tools-schema-members",
        requirement: "tools:input-schema:json-schema-2020-12",
        title: "The properties and required of every inputSchema are an object and a list of names.",
        mend: "Write properties as an object of schemas, and required as an array of strings.",
      },
      ({ inputSchema }) =>
        !isObject(inputSchema) || (isSchemaMap(inputSchema.properties) && isNames(inputSchema.required)),
    ),
    ...(["inputSchema", "outputSchema"] as const).map((member) =>
      itemCheck(
        "tools",
        {
          id: member === "inputSchema" ? "tools-input-schema-valid" : "tools-output-schema-valid",
          requirement: "tools:schema:invalid",
          title: `The ${member} of every tool is a valid JSON Schema, as far as its keywords show.`,
          mend: "Write each keyword as JSON Schema 2020-12 has it, or name another dialect in $schema.",
          since: "2025-11-25",
        },
        (tool) => schemaFormFault(tool[member] ?? true) === undefined,
      ),
    ),
    itemCheck(
      "tools",
      {
        id: "tools-output-schema",
        requirement: "tools:output-schema:listed",
        title: "The outputSchema of every tool is a JSON Schema.",
        mend: "Send outputSchema as an object, or leave it out.",
        since: "2025-06-18",
      },
      ({ outputSchema }) => outputSchema === undefined || isObject(outputSchema),
    ),
    itemCheck(
      "tools",
      {
        id: "tools-name-characters",
        requirement: "tools:names:case-sensitive",
        title: "Every tool name has 1 to 128 letters, digits, underscores, hyphens and dots.",
        mend: "Rename tools to 1 to 128 characters of A-Z, a-z, 0-9, _, - and the dot.",
        since: "2025-11-25",
      },
      ({ name }) => /^[A-Za-z0-9_.-]{1,128}$/.test(String(name)),
    ),
    itemCheck(
      "tools",
      {
        id: "tools-annotations",
        requirement: "tools:list:annotations",
        title: "The hints in the annotations of every tool are booleans.",
        mend: "Send readOnlyHint, destructiveHint, idempotentHint and openWorldHint as booleans.",
      },
      ({ annotations }) =>
        annotations === undefined ||
        (isObject(annotations) &&
          ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"].every((hint) =>
            ["undefined", "boolean"].includes(typeof annotations[hint]),
          )),
    ),
    itemCheck(
      "tools",
      {
        id: "tools-header-tokens",
        requirement: "tools:register:header-annotations",
        title: "Every x-mcp-header is a token of HTTP.",
        mend: "Use letters, digits and hyphens in x-mcp-header.",
        since: "2026-07-28",
      },
      (tool) => annotated(tool).every(({ header }) => /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(String(header))),
    ),
    itemCheck(
      "tools",
      {
        id: "tools-header-unique",
        requirement: "tools:register:header-annotations",
        title: "No x-mcp-header occurs twice in a tool, whatever its case.",
        mend: "Give each annotated argument of a tool an x-mcp-header of its own.",
        since: "2026-07-28",
      },
      (tool) => {
        const names = annotated(tool).map(({ header }) => String(header).toLowerCase());
        return new Set(names).size === names.length;
      },
    ),
    itemCheck(
      "tools",
      {
        id: "tools-header-types",
        requirement: "tools:register:header-annotations",
        title: "Every x-mcp-header is on a string, an integer or a boolean.",
        mend: "Remove x-mcp-header from arguments of other types, number among them.",
        since: "2026-07-28",
      },
      (tool) => annotated(tool).every(({ type }) => ["string", "integer", "boolean"].includes(String(type))),
    ),
    itemCheck(
      "resources",
      {
        id: "resources-uris",
        requirement: "resources:list:basic",
        title: "Every listed resource has an absolute URI.",
        mend: "List resources under URIs with a scheme.",
      },
      ({ uri }) => URL.canParse(String(uri)),
    ),
    itemCheck(
      "resources",
      {
        id: "resources-sizes",
        requirement: "resources:list:size",
        title: "The size of every resource is a whole number of bytes.",
        mend: "Send size as an integer of 0 or more, or leave it out.",
      },
      ({ size }) => size === undefined || (Number.isInteger(size) && Number(size) >= 0),
    ),
    itemCheck(
      "resources",
      {
        id: "resources-mime-types",
        requirement: "resources:list:basic",
        title: "The MIME type of every resource has the form type/subtype.",
        mend: "Send mimeType as type/subtype, or leave it out.",
      },
      ({ mimeType }) => isMimeType(mimeType),
    ),
    itemCheck(
      "resources",
      {
        id: "resources-annotations",
        requirement: "resources:annotations",
        title: "The annotations of resources have a priority from 0 to 1 and an audience of user and assistant.",
        mend: "Send priority as a number from 0 to 1, and audience as a list of user and assistant.",
      },
      ({ annotations }) => areAnnotations(annotations),
    ),
    itemCheck(
      "templates",
      {
        id: "templates-syntax",
        requirement: "resources:templates:list",
        title: "Every uriTemplate has balanced braces around names.",
        mend: "Write templates by RFC 6570, such as note://{id}.",
      },
      ({ uriTemplate }) =>
        /^(?:[^{}]|\{[+#./;?&]?[\w.%]+(?:\*|:\d+)?(?:,[\w.%]+(?:\*|:\d+)?)*\})*$/.test(String(uriTemplate)),
    ),
    itemCheck(
      "templates",
      {
        id: "templates-mime-types",
        requirement: "resources:templates:list",
        title: "The MIME type of every template has the form type/subtype.",
        mend: "Send mimeType as type/subtype, or leave it out.",
      },
      ({ mimeType }) => isMimeType(mimeType),
    ),
    itemCheck(
      "prompts",
      {
        id: "prompts-arguments",
        requirement: "prompts:list:basic",
        title: "Every argument of a prompt has a name.",
        mend: "Send arguments as a list of objects with a name.",
      },
      ({ arguments: listed }) =>
        listed === undefined || (Array.isArray(listed) && listed.every((item) => typeof item?.name === "string")),
    ),
    itemCheck(
      "prompts",
      {
        id: "prompts-required-flags",
        requirement: "prompts:get:optional-args",
        title: "Whether an argument of a prompt is required is a boolean.",
        mend: "Send required as true or false, or leave it out.",
      },
      ({ arguments: listed }) =>
        !Array.isArray(listed) || listed.every((item) => ["undefined", "boolean"].includes(typeof item?.required)),
    ),
    {
      id: "cursor-strings",
      requirement: "pagination:exhaustion",
      title: "Every nextCursor is a string.",
      mend: "Send nextCursor as a string, and leave it out of the last page.",
      watch(answer) {
        const result = resultOf(answer);
        if (!result || !String(answer.request?.method).endsWith("/list")) return false;
        const { nextCursor } = result;
        want(nextCursor === undefined || typeof nextCursor === "string", "a string or nothing", nextCursor);
        return true;
      },
    },
  ],
};

function isSchemaMap(value: unknown): boolean {
  return (
    value === undefined ||
    (isObject(value) && Object.values(value).every((item) => isObject(item) || typeof item === "boolean"))
  );
}

function isNames(value: unknown): boolean {
  return value === undefined || (Array.isArray(value) && value.every((name) => typeof name === "string"));
}

/** A MIME type with optional parameters, or none at all. */
export function isMimeType(value: unknown): boolean {
  return value === undefined || /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:\s*;.*)?$/.test(String(value));
}

export function areAnnotations(value: unknown): boolean {
  if (value === undefined) return true;
  if (!isObject(value)) return false;
  const { priority, audience } = value;
  const isPriority = priority === undefined || (typeof priority === "number" && priority >= 0 && priority <= 1);
  const isAudience =
    audience === undefined ||
    (Array.isArray(audience) && audience.every((role) => role === "user" || role === "assistant"));
  return isPriority && isAudience;
}

function annotated(tool: JsonObject): { header: unknown; type: unknown }[] {
  const schema = isObject(tool.inputSchema) ? tool.inputSchema : {};
  const properties = isObject(schema.properties) ? Object.values(schema.properties) : [];
  return properties
    .filter(isObject)
    .filter((property) => "x-mcp-header" in property)
    .map((property) => ({ header: property["x-mcp-header"], type: property.type }));
}
