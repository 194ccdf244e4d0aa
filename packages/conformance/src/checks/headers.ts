/** Headers that mirror the body of modern requests over HTTP. */
import type { ActiveCheck, CheckArea } from "../judge/check.js";
import { notApplicable, notObserved, want, wantError, wantRefusal, wantStatus } from "../judge/expectations.js";
import type { AllowedCall } from "../judge/offer.js";
import type { Probe } from "../judge/probe.js";
import { type Answer, describeAnswer, errorOf } from "../target/answer.js";
import { annotationsOf, base64Header, headerValue } from "../target/envelope.js";
import type { JsonObject } from "../wire/json-rpc.js";

const NO_TOOL = "parley-check-no-such-tool";
const NO_URI = "parley-check://no-such-resource";
const MISMATCH = -32020;

interface HeaderCase {
  readonly id: string;
  readonly requirement: string;
  readonly title: string;
  readonly mend: string;
  readonly method: string;
  readonly params?: JsonObject;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly needs?: ActiveCheck["needs"];
}

const MIRRORS = "hosting:http:modern:header-mirrors";
const VERSION = "hosting:http:modern:header-version";
const BASE64 = "hosting:http:modern:header-base64";

const REFUSED: readonly HeaderCase[] = [
  {
    id: "header-version-differs",
    requirement: VERSION,
    title: "A version header that differs from the body is refused with -32020.",
    mend: "Compare MCP-Protocol-Version with the revision in _meta.",
    method: "server/discover",
    headers: { "MCP-Protocol-Version": "2025-11-25" },
  },
  {
    id: "header-method-missing",
    requirement: MIRRORS,
    title: "A request without Mcp-Method is refused with -32020.",
    mend: "Require the Mcp-Method header on every modern request.",
    method: "server/discover",
    headers: { "Mcp-Method": undefined },
  },
  {
    id: "header-method-differs",
    requirement: MIRRORS,
    title: "An Mcp-Method that differs from the body is refused with -32020.",
    mend: "Compare Mcp-Method with the method of the body.",
    method: "server/discover",
    headers: { "Mcp-Method": "tools/list" },
  },
  {
    id: "header-method-case",
    requirement: "hosting:http:modern:header-forms",
    title: "An Mcp-Method in other case is refused with -32020.",
    mend: "Compare header values exactly; only header names ignore case.",
    method: "server/discover",
    headers: { "Mcp-Method": "SERVER/DISCOVER" },
  },
  {
    id: "header-name-missing-tool",
    requirement: MIRRORS,
    title: "A tools/call without Mcp-Name is refused with -32020.",
    mend: "Require the Mcp-Name header on tools/call.",
    method: "tools/call",
    params: { name: NO_TOOL, arguments: {} },
    headers: { "Mcp-Name": undefined },
    needs: ["tools"],
  },
  {
    id: "header-name-missing-resource",
    requirement: MIRRORS,
    title: "A resources/read without Mcp-Name is refused with -32020.",
    mend: "Require the Mcp-Name header on resources/read.",
    method: "resources/read",
    params: { uri: NO_URI },
    headers: { "Mcp-Name": undefined },
    needs: ["resources"],
  },
  {
    id: "header-name-missing-prompt",
    requirement: MIRRORS,
    title: "A prompts/get without Mcp-Name is refused with -32020.",
    mend: "Require the Mcp-Name header on prompts/get.",
    method: "prompts/get",
    params: { name: NO_TOOL },
    headers: { "Mcp-Name": undefined },
    needs: ["prompts"],
  },
  {
    id: "header-name-differs",
    requirement: MIRRORS,
    title: "An Mcp-Name that differs from the body is refused with -32020.",
    mend: "Compare Mcp-Name with params.name or params.uri.",
    method: "tools/call",
    params: { name: NO_TOOL, arguments: {} },
    headers: { "Mcp-Name": "another-tool" },
    needs: ["tools"],
  },
  {
    id: "header-name-broken-base64",
    requirement: BASE64,
    title: "An Mcp-Name with broken Base64 is refused with -32020.",
    mend: "Refuse a value between =?base64? and ?= that is no Base64.",
    method: "tools/call",
    params: { name: NO_TOOL, arguments: {} },
    headers: { "Mcp-Name": "=?base64?%%%?=" },
    needs: ["tools"],
  },
  {
    id: "header-name-marker-case",
    requirement: BASE64,
    title: "A Base64 marker in capitals is no marker.",
    mend: "Decode only values that start with =?base64? in lower case.",
    method: "tools/call",
    params: { name: NO_TOOL, arguments: {} },
    headers: { "Mcp-Name": base64Header(NO_TOOL).replace("base64", "BASE64") },
    needs: ["tools"],
  },
  {
    id: "header-name-not-ascii",
    requirement: "hosting:http:modern:header-unsafe",
    title: "An Mcp-Name with characters outside of ASCII is refused with -32020.",
    mend: "Refuse header values with other characters than visible ASCII, space and tab.",
    method: "tools/call",
    params: { name: "t\u00e4st", arguments: {} },
    headers: { "Mcp-Name": "t\u00e4st" },
    needs: ["tools"],
  },
];

async function sendCase(probe: Probe, { method, params = {}, headers }: HeaderCase): Promise<Answer> {
  return probe.ask(method, params, { headers });
}

function refusal(headerCase: HeaderCase): ActiveCheck {
  const { id, requirement, title, mend, needs = [] } = headerCase;
  return {
    id,
    requirement,
    title,
    mend,
    needs,
    over: "http",
    async run(probe) {
      wantError(await sendCase(probe, headerCase), MISMATCH);
    },
  };
}

/** Not a mismatch: whatever the server says of the call itself. */
function wantNoMismatch(answer: Answer): void {
  const isJudged = answer.response !== undefined && errorOf(answer)?.code !== MISMATCH;
  want(isJudged, "an answer other than -32020", describeAnswer(answer));
}

/** A call of a tool with an annotated argument, and the header of that argument. */
function annotatedCall(probe: Probe): { call: AllowedCall; header: string; value: string } {
  for (const call of probe.offer.calls) {
    for (const [name, annotation] of annotationsOf(call.tool)) {
      const value = call.arguments[name];
      if (typeof value === "string") return { call, header: `Mcp-Param-${annotation}`, value };
    }
  }
  return notObserved("no allowed call has an argument with x-mcp-header");
}

async function callWith(probe: Probe, value: string | undefined, args?: JsonObject): Promise<Answer> {
  const { call, header } = annotatedCall(probe);
  return probe.ask(
    "tools/call",
    { name: call.name, arguments: args ?? call.arguments },
    { headers: { [header]: value } },
  );
}

export const headers: CheckArea = {
  area: "headers",
  checks: [
    ...REFUSED.map(refusal),
    {
      id: "header-mismatch-status",
      requirement: MIRRORS,
      title: "A refused header has HTTP status 400.",
      mend: "Send status 400 with error -32020.",
      over: "http",
      async run(probe) {
        const answer = await probe.ask("server/discover", {}, { headers: { "Mcp-Method": "prompts/list" } });
        if (errorOf(answer) === undefined) notApplicable("the server does not refuse the header");
        wantStatus(answer, 400);
      },
    },
    {
      id: "header-version-missing",
      requirement: VERSION,
      title: "A modern request without MCP-Protocol-Version is not served.",
      mend: "Require the MCP-Protocol-Version header: status 400 and error -32020.",
      over: "http",
      async run(probe) {
        const answer = await probe.ask("server/discover", {}, { headers: { "MCP-Protocol-Version": undefined } });
        wantRefusal(answer);
      },
    },
    {
      id: "header-name-base64",
      requirement: BASE64,
      title: "An Mcp-Name in Base64 is decoded before it is compared.",
      mend: "Decode values between =?base64? and ?= and compare the result with the body.",
      over: "http",
      needs: ["tools"],
      async run(probe) {
        const params = { name: NO_TOOL, arguments: {} };
        wantNoMismatch(await probe.ask("tools/call", params, { headers: { "Mcp-Name": base64Header(NO_TOOL) } }));
      },
    },
    {
      id: "header-names-any-case",
      requirement: "hosting:http:modern:header-forms",
      title: "Header names are accepted in any case.",
      mend: "Compare header names without regard to case.",
      over: "http",
      async run(probe) {
        const headers = { "Mcp-Method": undefined, "MCP-METHOD": "server/discover" };
        wantNoMismatch(await probe.ask("server/discover", {}, { headers }));
      },
    },
    {
      id: "header-space-around",
      requirement: "hosting:http:modern:header-forms",
      title: "Space around a header value is no part of it.",
      mend: "Remove spaces and tabs around header values before comparing.",
      over: "http",
      async run(probe) {
        wantNoMismatch(await probe.ask("server/discover", {}, { headers: { "Mcp-Method": "  server/discover  " } }));
      },
    },
    {
      id: "header-param-served",
      requirement: "hosting:http:modern:header-params",
      title: "A call whose Mcp-Param header says what the body says is served.",
      mend: "Compare each Mcp-Param header with its argument, and serve the call if they are equal.",
      over: "http",
      needs: ["a-call"],
      async run(probe) {
        wantNoMismatch(await callWith(probe, headerValue(annotatedCall(probe).value)));
      },
    },
    {
      id: "header-param-missing",
      requirement: "hosting:http:modern:header-params",
      title: "A call without the header of an annotated argument is refused with -32020.",
      mend: "Require an Mcp-Param header for each annotated argument that the body has.",
      over: "http",
      needs: ["a-call"],
      async run(probe) {
        wantError(await callWith(probe, undefined), MISMATCH);
      },
    },
    {
      id: "header-param-differs",
      requirement: "hosting:http:modern:header-params",
      title: "A call whose Mcp-Param header differs from the argument is refused with -32020.",
      mend: "Compare each Mcp-Param header with its argument.",
      over: "http",
      needs: ["a-call"],
      async run(probe) {
        wantError(await callWith(probe, "parley-check-other"), MISMATCH);
      },
    },
    {
      id: "header-param-base64",
      requirement: BASE64,
      title: "An Mcp-Param header in Base64 is decoded before it is compared.",
      mend: "Decode values between =?base64? and ?= and compare the result with the argument.",
      over: "http",
      needs: ["a-call"],
      async run(probe) {
        wantNoMismatch(await callWith(probe, base64Header(annotatedCall(probe).value)));
      },
    },
    {
      id: "header-param-absent",
      requirement: "hosting:http:modern:header-params",
      title: "The header of an annotated argument is not expected when the argument is absent.",
      mend: "Require an Mcp-Param header only for arguments that the body has.",
      over: "http",
      needs: ["a-call"],
      async run(probe) {
        const { call, header } = annotatedCall(probe);
        const name = annotationsOf(call.tool).find(([, annotation]) => header === `Mcp-Param-${annotation}`)?.[0] ?? "";
        const { [name]: _left, ...rest } = call.arguments;
        wantNoMismatch(await callWith(probe, undefined, rest));
      },
    },
    {
      id: "session-header-ignored",
      requirement: "hosting:http:modern:stray-session",
      title: "A modern request with a session id is served.",
      mend: "Ignore Mcp-Session-Id on modern requests.",
      over: "http",
      async run(probe) {
        wantNoMismatch(await probe.ask("server/discover", {}, { headers: { "Mcp-Session-Id": "parley-check-stray" } }));
      },
    },
    {
      id: "last-event-id-ignored",
      requirement: "hosting:http:modern:stray-session",
      title: "A modern request with Last-Event-ID is served.",
      mend: "Ignore Last-Event-ID on modern requests.",
      over: "http",
      async run(probe) {
        wantNoMismatch(await probe.ask("server/discover", {}, { headers: { "Last-Event-ID": "parley-check-stray" } }));
      },
    },
    {
      id: "no-session-in-responses",
      requirement: "hosting:http:modern:no-session-id",
      title: "No response to a modern request carries a session id.",
      mend: "Send Mcp-Session-Id only in the legacy era.",
      over: "http",
      watch({ http, response }) {
        if (!http || response === undefined) return false;
        want(http.headers["mcp-session-id"] === undefined, "no Mcp-Session-Id", http.headers["mcp-session-id"]);
        return true;
      },
    },
  ],
};
