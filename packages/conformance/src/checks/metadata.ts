/** The `_meta` of modern requests and results. */
import type { ActiveCheck, CheckArea } from "../judge/check.js";
import {
  notApplicable,
  notObserved,
  want,
  wantError,
  wantRefusal,
  wantServed,
  wantStatus,
} from "../judge/expectations.js";
import { type Answer, errorOf, resultOf } from "../target/answer.js";
import {
  CLIENT_CAPABILITIES_KEY,
  CLIENT_INFO_KEY,
  LOG_LEVEL_KEY,
  REVISION_KEY,
  SERVER_INFO_KEY,
} from "../target/envelope.js";
import { isObject, type JsonObject } from "../wire/json-rpc.js";

interface BadMeta {
  readonly id: string;
  readonly what: string;
  readonly requirement: string;
  readonly meta: JsonObject | null;
  /** Codes that say what is wrong. */
  readonly codes: readonly number[];
  readonly mend: string;
  /** The specification says what happens to missing fields, and nothing of fields of another type. */
  readonly atMost?: "warning";
}

const MISSING = "errors:modern:missing-meta";
const ILL_TYPED = "errors:modern:ill-typed-meta";

const BAD_METAS: readonly BadMeta[] = [
  {
    id: "meta-without-revision",
    what: "without the revision in _meta",
    requirement: MISSING,
    meta: { [REVISION_KEY]: undefined },
    // The header names a revision and the body none, which is a mismatch as well.
    codes: [-32602, -32020],
    mend: `Require "${REVISION_KEY}" in the _meta of each request.`,
  },
  {
    id: "meta-without-capabilities",
    what: "without the client's capabilities in _meta",
    requirement: MISSING,
    meta: { [CLIENT_CAPABILITIES_KEY]: undefined },
    codes: [-32602],
    mend: `Require "${CLIENT_CAPABILITIES_KEY}" in the _meta of each request.`,
  },
  {
    id: "meta-revision-type",
    what: "whose revision is a number",
    requirement: ILL_TYPED,
    meta: { [REVISION_KEY]: 20260728 },
    codes: [-32602, -32020, -32022],
    mend: `Require a string as "${REVISION_KEY}".`,
    atMost: "warning",
  },
  {
    id: "meta-capabilities-type",
    what: "whose client capabilities are a string",
    requirement: ILL_TYPED,
    meta: { [CLIENT_CAPABILITIES_KEY]: "none" },
    codes: [-32602],
    mend: `Require an object as "${CLIENT_CAPABILITIES_KEY}".`,
    atMost: "warning",
  },
  {
    id: "meta-client-info-type",
    what: "whose client identity is a string",
    requirement: ILL_TYPED,
    meta: { [CLIENT_INFO_KEY]: "parley-check" },
    codes: [-32602],
    mend: `Require an object as "${CLIENT_INFO_KEY}", if it is there.`,
    atMost: "warning",
  },
];

function refusal({ id, what, requirement, meta, codes, mend, atMost }: BadMeta): ActiveCheck {
  return {
    id,
    requirement,
    ...(atMost ? { atMost } : {}),
    title: `A request ${what} is refused with -32602.`,
    mend,
    async run(probe) {
      wantError(await probe.ask("server/discover", {}, { meta }), ...codes);
    },
  };
}

function refusalStatus({ id, what, requirement, meta, mend }: BadMeta): ActiveCheck {
  return {
    id: `${id}-status`,
    requirement,
    title: `A request ${what} is refused with HTTP status 400.`,
    mend,
    over: "http",
    async run(probe) {
      const answer = await probe.ask("server/discover", {}, { meta });
      if (errorOf(answer) === undefined) notApplicable("the server does not refuse the request");
      wantStatus(answer, 400);
    },
  };
}

/** The result of a request that carried modern metadata. */
function modernResultOf(answer: Answer): JsonObject | undefined {
  const params = answer.request?.params;
  const isMarked = isObject(params) && isObject(params._meta) && REVISION_KEY in params._meta;
  return isMarked ? resultOf(answer) : undefined;
}

export const metadata: CheckArea = {
  area: "metadata",
  checks: [
    ...BAD_METAS.map(refusal),
    ...BAD_METAS.filter(({ requirement }) => requirement === MISSING).map(refusalStatus),
    {
      id: "meta-absent",
      requirement: MISSING,
      title: "A modern request without _meta is not served.",
      mend: "Refuse requests without _meta: -32602, and status 400 over HTTP.",
      async run(probe) {
        const peer = await probe.fresh();
        wantRefusal(await peer.request("server/discover", {}, { meta: null }));
      },
    },
    {
      id: "meta-no-memory",
      requirement: "lifecycle:stateless:no-earlier-context",
      title: "Metadata of an earlier request does not stand in for what a later one lacks.",
      mend: "Keep nothing of a request's metadata for the requests after it.",
      async run(probe) {
        const peer = await probe.fresh();
        await peer.request("server/discover");
        wantRefusal(await peer.request("server/discover", {}, { meta: { [CLIENT_CAPABILITIES_KEY]: undefined } }));
      },
    },
    {
      id: "meta-client-info-optional",
      requirement: "meta:client-info-optional",
      title: "A request without the client's identity is served.",
      mend: `Treat "${CLIENT_INFO_KEY}" as optional.`,
      async run(probe) {
        wantServed(await probe.ask("server/discover", {}, { meta: { [CLIENT_INFO_KEY]: undefined } }));
      },
    },
    {
      id: "meta-client-info-ignored",
      requirement: "meta:info:display-only",
      title: "A client with another name gets the same answer.",
      mend: "Use the client's identity for display and logs alone.",
      since: "2026-07-28",
      async run(probe) {
        const other = { name: "another-client", version: "9.9.9" };
        const first = resultOf(await probe.askOnce("server/discover"));
        const second = resultOf(await probe.ask("server/discover", {}, { meta: { [CLIENT_INFO_KEY]: other } }));
        const same = JSON.stringify(first?.capabilities) === JSON.stringify(second?.capabilities);
        want(same, "the same capabilities", second?.capabilities);
      },
    },
    {
      id: "meta-foreign-keys",
      requirement: "meta:request-to-handler",
      title: "A request with _meta keys of other parties is served.",
      mend: "Ignore _meta keys that the server does not know.",
      since: "2026-07-28",
      async run(probe) {
        wantServed(await probe.ask("server/discover", {}, { meta: { "com.example/trace": { a: 1 } } }));
      },
    },
    {
      id: "meta-trace-context",
      requirement: "meta:trace-context",
      title: "A request with a trace context is served.",
      mend: "Accept traceparent, tracestate and baggage in _meta.",
      async run(probe) {
        const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
        wantServed(await probe.ask("server/discover", {}, { meta: { traceparent } }));
      },
    },
    {
      id: "meta-unknown-capabilities",
      requirement: "extensions:declaration",
      atMost: "warning",
      title: "A client that declares unknown extensions is served.",
      mend: "Ignore client capabilities and extensions that the server does not know.",
      since: "2026-07-28",
      async run(probe) {
        const capabilities = { extensions: { "com.example/unknown": {} }, experimental: { odd: {} } };
        wantServed(await probe.ask("server/discover", {}, { meta: { [CLIENT_CAPABILITIES_KEY]: capabilities } }));
      },
    },
    {
      id: "meta-log-level-invalid",
      requirement: "logging:per-request:invalid-level",
      title: "A call with an unknown log level is refused with -32602.",
      mend: `Require one of the eight levels as "${LOG_LEVEL_KEY}".`,
      needs: ["logging", "a-call"],
      async run(probe) {
        const [call] = probe.offer.calls.slice(-1);
        const params = { name: call?.name, arguments: call?.arguments };
        const answer = await probe.ask("tools/call", params, { meta: { [LOG_LEVEL_KEY]: "loud" } });
        if (errorOf(answer)?.code === -32021) notObserved("the last allowed call needs a capability of the client");
        wantError(answer, -32602);
      },
    },
    {
      id: "result-type",
      requirement: "meta:result-type",
      title: "Every result has a resultType.",
      mend: 'Add resultType to each result, "complete" where nothing more is needed.',
      since: "2026-07-28",
      watch(answer) {
        const result = modernResultOf(answer);
        if (!result) return false;
        want(typeof result.resultType === "string", "a string as resultType", result.resultType);
        return true;
      },
    },
    {
      id: "result-type-known",
      requirement: "mrtr:methods:no-other",
      title: 'Lists, discovery and completions are "complete".',
      mend: 'Answer with resultType "complete"; only tools/call, prompts/get and resources/read may ask for input.',
      watch(answer) {
        const result = resultOf(answer);
        const method = String(answer.request?.method);
        if (!result || typeof result.resultType !== "string") return false;
        if (!method.endsWith("/list") && method !== "server/discover" && method !== "completion/complete") return false;
        want(result.resultType === "complete", '"complete"', result.resultType);
        return true;
      },
    },
    {
      id: "result-server-info",
      requirement: "meta:server-info-on-results",
      title: "Every result names the server in _meta.",
      mend: `Put name and version under _meta["${SERVER_INFO_KEY}"] of each result.`,
      watch(answer) {
        const result = modernResultOf(answer);
        if (!result || answer.request?.method === "server/discover") return false;
        const info = isObject(result._meta) ? result._meta[SERVER_INFO_KEY] : undefined;
        want(isObject(info) && typeof info.name === "string", "the server's name", info);
        return true;
      },
    },
    {
      id: "meta-key-names",
      requirement: "meta:keys:results",
      title: "Every key in the _meta of results follows the naming rules.",
      mend: "Name keys by an optional prefix such as com.example/, and a name of letters, digits, hyphens, underscores and dots.",
      watch(answer) {
        const result = resultOf(answer);
        if (!result || !isObject(result._meta)) return false;
        const odd = Object.keys(result._meta).find((key) => !META_KEY.test(key));
        want(odd === undefined, "a key of the form prefix/name", odd);
        return true;
      },
    },
  ],
};

const LABEL = "[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?";
const META_KEY = new RegExp(`^(?:${LABEL}(?:\\.${LABEL})*/)?(?:[A-Za-z0-9](?:[\\w.-]*[A-Za-z0-9])?)?$`);
