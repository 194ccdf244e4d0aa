/** How a modern client encodes names and arguments in headers, and which tools it leaves out of its lists. */
import { notObserved } from "../../judge/expectations.js";
import { base64Header } from "../../target/envelope.js";
import { isObject, type JsonObject } from "../../wire/json-rpc.js";
import { answer, refuse } from "../replies.js";
import type { ClientArea, ClientCheck } from "../scenario.js";
import {
  callsOf,
  differs,
  everyRequest,
  requestsOf,
  type SeenRequest,
  type Sighting,
  unmirrored,
  wantOf,
} from "../sighting.js";

const SENTINEL = "=?base64?c2FuZA==?=";

const NAMES: readonly [id: string, what: string, name: string][] = [
  ["non-ascii", "with letters beyond ASCII", "größe"],
  ["sentinel", "that looks like Base64 between its markers", SENTINEL],
  ["spaces", "with spaces at its ends", " spaced "],
];

interface Param {
  readonly id: string;
  /** `warning` where a header in Base64 says the same, though the value needs none. */
  readonly atMost?: "warning";
  readonly title: string;
  readonly schema: JsonObject;
  /** `undefined` if there must be no header. */
  readonly header: string | undefined;
}

const PARAMS: readonly Param[] = [
  {
    id: "non-ascii",
    title: "An argument beyond ASCII is repeated in Base64.",
    schema: { type: "string", default: "Hello, 世界" },
    header: base64Header("Hello, 世界"),
  },
  {
    id: "padded",
    title: "An argument with spaces at its ends is repeated in Base64.",
    schema: { type: "string", default: " padded " },
    header: base64Header(" padded "),
  },
  {
    id: "lines",
    title: "An argument of two lines is repeated in Base64.",
    schema: { type: "string", default: "line1\nline2" },
    header: base64Header("line1\nline2"),
  },
  {
    id: "sentinel",
    title: "An argument that looks like Base64 between its markers is repeated in Base64.",
    schema: { type: "string", default: SENTINEL },
    header: base64Header(SENTINEL),
  },
  {
    id: "inner-space",
    atMost: "warning",
    title: "An argument with spaces inside is repeated as it is.",
    schema: { type: "string", default: "us west 1" },
    header: "us west 1",
  },
  {
    id: "integer",
    atMost: "warning",
    title: "An integer is repeated in decimal digits.",
    schema: { type: "integer", default: -42 },
    header: "-42",
  },
  {
    id: "boolean",
    atMost: "warning",
    title: "A boolean is repeated as true or false.",
    schema: { type: "boolean", default: true },
    header: "true",
  },
  {
    id: "null",
    title: "An argument that is null has no header.",
    schema: { type: "string", default: null },
    header: undefined,
  },
  {
    id: "absent",
    title: "An argument that the call does not have has no header.",
    schema: { type: "string" },
    header: undefined,
  },
];

const PARAM_TOOL: JsonObject = {
  name: "params",
  inputSchema: {
    type: "object",
    properties: {
      ...Object.fromEntries(PARAMS.map(({ id, schema }) => [id, { ...schema, "x-mcp-header": id }])),
      outer: {
        type: "object",
        default: { inner: "deep" },
        properties: { inner: { type: "string", "x-mcp-header": "nested" } },
      },
    },
  },
};

const BAD_TOOLS: readonly [id: string, what: string, properties: JsonObject][] = [
  ["empty", "an empty header name", { a: { type: "string", "x-mcp-header": "" } }],
  ["space", "a header name with a space", { a: { type: "string", "x-mcp-header": "My Region" } }],
  ["colon", "a header name with a colon", { a: { type: "string", "x-mcp-header": "Region:Name" } }],
  ["non-ascii", "a header name beyond ASCII", { a: { type: "string", "x-mcp-header": "Größe" } }],
  ["object", "a mirrored object", { a: { type: "object", "x-mcp-header": "Region" } }],
  ["array", "a mirrored array", { a: { type: "array", "x-mcp-header": "Region" } }],
  ["number", "a mirrored number", { a: { type: "number", "x-mcp-header": "Region" } }],
  [
    "twice",
    "one header name twice, in another case",
    { a: { type: "string", "x-mcp-header": "Region" }, b: { type: "string", "x-mcp-header": "REGION" } },
  ],
];

/** The value of an argument, and its header. */
function mirrorOf({ params, headers }: SeenRequest, name: string): { value: unknown; header: string | undefined } {
  return {
    value: isObject(params.arguments) ? params.arguments[name] : undefined,
    header: headers[`mcp-param-${name}`],
  };
}

function paramCheck({ id, title, schema, header, atMost }: Param): ClientCheck {
  return {
    id: `client-param-${id}`,
    scenario: "mirrored-params",
    requirement: "client-transport:http:custom-param-headers",
    title,
    mend: "Send Mcp-Param headers as the section on value encoding says.",
    judge: (seen) => {
      const calls = callsOf(seen, "params").filter((request) => mirrorOf(request, id).value === schema.default);
      const isEncoded = (request: SeenRequest) => mirrorOf(request, id).header === base64Header(String(schema.default));
      const encoded = atMost && calls.find(isEncoded);
      wantOf([encoded?.sighting], encoded === undefined, header ?? "", "the value in Base64", atMost);
      everyRequest(calls, header ?? "no header", (request) => differs(mirrorOf(request, id).header, header));
    },
  };
}

function nameCheck(id: string, title: string, found: (seen: readonly Sighting[]) => SeenRequest[]): ClientCheck {
  return {
    id: `client-name-${id}`,
    scenario: "mirrored-names",
    requirement: "client-transport:http:body-derived-headers",
    title,
    mend: "Send Mcp-Name in Base64 between =?base64? and ?= where a header cannot carry it.",
    judge: (seen) =>
      everyRequest(found(seen), "the name in Base64", ({ params, headers }) =>
        differs(headers["mcp-name"], base64Header(String(params.name ?? params.uri))),
      ),
  };
}

/** Calls of the tool whose headers the server refuses. */
function strictCalls(seen: readonly Sighting[]): SeenRequest[] {
  const calls = callsOf(seen, "strict");
  if (calls.length === 0) notObserved("the client did not call the tool");
  return calls;
}

export const mirroredHeaders: ClientArea = {
  area: "client-mirrored-headers",
  scenarios: [
    {
      name: "mirrored-names",
      revisions: ["2026-07-28"],
      summary: "Tools, a resource and a prompt whose names a header cannot carry as they are.",
      script: () => ({
        tools: NAMES.map(([, , name]) => ({ name, inputSchema: { type: "object" } })),
        resources: [{ uri: "file:///größe.txt", name: "size" }],
        prompts: [{ name: "grüße" }],
      }),
    },
    {
      name: "mirrored-params",
      revisions: ["2026-07-28"],
      summary:
        "A tool whose arguments are repeated in headers. The defaults of its schema are the arguments to call it with.",
      script: () => ({ tools: [PARAM_TOOL] }),
    },
    {
      name: "bad-annotations",
      revisions: ["2026-07-28"],
      summary: "A valid tool, and tools whose x-mcp-header is invalid. A client calls those that its list still has.",
      script: () => ({
        tools: [
          { name: "valid", inputSchema: { type: "object" } },
          ...BAD_TOOLS.map(([id, , properties]) => ({
            name: `bad-${id}`,
            inputSchema: { type: "object", properties },
          })),
        ],
      }),
    },
    {
      name: "header-mismatch",
      revisions: ["2026-07-28"],
      summary: "A tool whose call is refused with -32020 every time.",
      script: () => ({
        tools: [{ name: "strict", inputSchema: { type: "object" } }],
        answers: {
          "tools/call": ({ message, params }) =>
            params.name === "strict" ? refuse(400, message.id, -32020, "Header mismatch") : undefined,
        },
      }),
    },
    {
      name: "unknown-members",
      revisions: ["2026-07-28"],
      summary: "A list whose result and tools have members that no revision defines. Its tool is to be called.",
      script: () => ({
        answers: {
          "tools/list": (request) =>
            answer(request, {
              future: [1],
              tools: [{ name: "odd", inputSchema: { type: "object" }, future: { a: 1 } }],
            }),
        },
      }),
    },
  ],
  checks: [
    ...NAMES.map(([id, what, name]) =>
      nameCheck(id, `The name of a tool ${what} is in Mcp-Name in Base64.`, (seen) => callsOf(seen, name)),
    ),
    nameCheck("resource", "The URI of a resource beyond ASCII is in Mcp-Name in Base64.", (seen) =>
      requestsOf(seen, "resources/read"),
    ),
    nameCheck("prompt", "The name of a prompt beyond ASCII is in Mcp-Name in Base64.", (seen) =>
      requestsOf(seen, "prompts/get"),
    ),
    ...PARAMS.map(paramCheck),
    {
      id: "client-param-nested",
      scenario: "mirrored-params",
      requirement: "client-transport:http:custom-param-headers",
      title: "An annotated argument inside an object is repeated in a header.",
      mend: "Follow properties of the input schema to nested annotations.",
      judge: (seen) =>
        everyRequest(
          callsOf(seen, "params").filter((request) => isObject(mirrorOf(request, "outer").value)),
          "deep",
          ({ headers }) => unmirrored(headers["mcp-param-nested"], "deep"),
        ),
    },
    ...BAD_TOOLS.map(
      ([id, what]): ClientCheck => ({
        id: `client-bad-annotation-${id}`,
        scenario: "bad-annotations",
        requirement: "client-transport:http:bad-header-annotation",
        title: `A tool with ${what} is left out of the list.`,
        mend: "Leave tools with an invalid x-mcp-header out of the result of tools/list.",
        judge: (seen) => {
          if (callsOf(seen, "valid").length === 0) notObserved("the client did not call the tools of the list");
          const [call] = callsOf(seen, `bad-${id}`);
          wantOf([call?.sighting], call === undefined, "no call", "tools/call");
        },
      }),
    ),
    {
      id: "client-header-mismatch-lists",
      scenario: "header-mismatch",
      requirement: "client-transport:http:header-mismatch-refreshes",
      title: "A call refused with -32020 is made again after the tools were listed again.",
      mend: "List the tools after -32020, and make the call again with the headers of the new definition.",
      judge: (seen) => {
        const [first] = strictCalls(seen);
        const later = seen.slice((first ? seen.indexOf(first.sighting) : 0) + 1);
        const isListed = requestsOf(later, "tools/list").length > 0 && callsOf(later, "strict").length > 0;
        wantOf([first?.sighting], isListed, "tools/list and tools/call", "neither or one");
      },
    },
    {
      id: "client-header-mismatch-bounded",
      scenario: "header-mismatch",
      requirement: "client-transport:http:header-mismatch-refreshes",
      title: "A call that is refused with -32020 every time is given up.",
      mend: "Make a call again once after -32020.",
      judge: (seen) => {
        const calls = strictCalls(seen);
        wantOf([calls.at(-1)?.sighting], calls.length <= 3, "two calls", `${calls.length}`);
      },
    },
    {
      id: "client-unknown-members",
      scenario: "unknown-members",
      requirement: "protocol:frame:unknown-fields",
      title: "A list with unknown members is read.",
      mend: "Ignore members that the client does not know.",
      judge: (seen) => {
        if (requestsOf(seen, "tools/list").length === 0) notObserved("the client listed no tools");
        wantOf(seen.slice(-1), callsOf(seen, "odd").length > 0, "a call of the listed tool", "none");
      },
    },
  ],
};
