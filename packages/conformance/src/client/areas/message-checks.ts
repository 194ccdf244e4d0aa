/** Checks of JSON-RPC messages that hold in both eras. */
import { notObserved, want } from "../../judge/expectations.js";
import { isObject } from "../../wire/json-rpc.js";
import { ODD_CURSOR } from "../played-server.js";
import type { ClientCheck } from "../scenario.js";
import { differs, everyRequest, legacySessionsOf, postsOf, requestsOf, type SeenRequest, wantOf } from "../sighting.js";

/** The rules for keys of _meta: an optional prefix of labels, and a name. */
const META_KEY = /^([a-z]([a-z0-9-]*[a-z0-9])?(\.[a-z]([a-z0-9-]*[a-z0-9])?)*\/)?([a-z0-9]([a-z0-9._-]*[a-z0-9])?)?$/i;

export function isNamed(value: unknown): boolean {
  return isObject(value) && typeof value.name === "string" && typeof value.version === "string";
}

function wantOwnIds(requests: readonly SeenRequest[]): void {
  const ids = requests.map(({ message }) => JSON.stringify(message.id));
  const twice = requests.find((_, index) => ids.indexOf(ids[index] ?? "") !== index);
  wantOf([twice?.sighting], twice === undefined, "each id once", twice?.message.id);
}

export function messageChecks(era: "modern" | "legacy", scenario: string): ClientCheck[] {
  return [
    {
      id: `client-${era}-accept`,
      scenario,
      requirement: "client-transport:http:accept-header-post",
      title: "Every POST accepts JSON and event streams.",
      mend: "Send Accept: application/json, text/event-stream.",
      judge: (seen) => {
        const odd = postsOf(seen).find(
          ({ headers: { accept = "" } }) =>
            !accept.includes("application/json") || !accept.includes("text/event-stream"),
        );
        wantOf([odd], odd === undefined, "both types in Accept", odd?.headers.accept ?? "none");
      },
    },
    {
      id: `client-${era}-one-message`,
      scenario,
      // Batches exist in 2025-03-26 alone.
      since: "2025-06-18",
      requirement: "client-transport:http:one-message-per-post",
      title: "The body of every POST is one JSON-RPC message.",
      mend: 'Send one object with jsonrpc "2.0" in each POST.',
      judge: (seen) => {
        const odd = postsOf(seen).find(({ value }) => !isObject(value) || value.jsonrpc !== "2.0");
        wantOf([odd], odd === undefined, "one message", odd?.body);
      },
    },
    {
      id: `client-${era}-id-types`,
      scenario,
      requirement: "protocol:request-id:unique",
      title: "The id of every request is a string or an integer.",
      mend: "Use strings or integers as ids, and never null.",
      judge: (seen) =>
        everyRequest(requestsOf(seen), "a string or an integer", ({ message: { id } }) =>
          typeof id === "string" || Number.isInteger(id) ? undefined : (id ?? "null"),
        ),
    },
    {
      id: `client-${era}-ids-unique`,
      scenario,
      requirement: "protocol:request-id:unique",
      // A modern id may come again once its request has been answered.
      ...(era === "modern" ? { atMost: "note" } : {}),
      title: `No id is used for two requests${era === "modern" ? "" : " of a session"}.`,
      mend: "Count ids up over the life of the client.",
      judge: (seen) => {
        for (const requests of era === "modern" ? [requestsOf(seen)] : legacySessionsOf(seen)) wantOwnIds(requests);
        if (requestsOf(seen).length < 2) notObserved("the client sent fewer than two requests");
      },
    },
    {
      id: `client-${era}-params-objects`,
      scenario,
      requirement: "protocol:frame:not-a-message",
      title: "The params of every request are an object, if there are any.",
      mend: "Send params as an object, or none.",
      judge: (seen) =>
        everyRequest(requestsOf(seen), "an object", ({ message: { params } }) =>
          params === undefined || isObject(params) ? undefined : params,
        ),
    },
    {
      id: `client-${era}-meta-keys`,
      scenario,
      requirement: "meta:keys:requests",
      title: "The keys of _meta follow the naming rules.",
      mend: "Name keys of _meta as prefix/name, with letters, digits, dots, dashes and underscores.",
      judge: (seen) =>
        everyRequest(requestsOf(seen), "keys by the rules", ({ meta }) =>
          Object.keys(meta).find((key) => !META_KEY.test(key)),
        ),
    },
    {
      id: `client-${era}-notification-without-id`,
      scenario,
      requirement: "protocol:frame:answers",
      title: "Notifications have no id.",
      mend: "Send messages whose method begins with notifications/ without an id.",
      judge: (seen) =>
        everyRequest(requestsOf(seen), "no id", ({ method }) => (/^notifications\//.test(method) ? method : undefined)),
    },
    {
      id: `client-${era}-cursor`,
      scenario,
      requirement: "pagination:client:cursor-handling",
      title: "A cursor comes back exactly as it was handed out.",
      mend: "Treat cursors as opaque: do not trim, decode or change them.",
      judge: (seen) =>
        everyRequest(
          requestsOf(seen, "tools/list").filter(({ params }) => "cursor" in params),
          "the cursor unchanged",
          ({ params }) => (params.cursor === null ? undefined : differs(params.cursor, ODD_CURSOR)),
        ),
    },
    {
      id: `client-${era}-cursor-type`,
      scenario,
      requirement: "pagination:client:cursor-handling",
      // The schema says so. The sentence is about cursors that were handed out.
      atMost: "warning",
      title: "The request for a first page has no cursor.",
      mend: "Leave cursor out of the first request instead of sending null.",
      judge: (seen) =>
        everyRequest(requestsOf(seen, "tools/list"), "text or nothing", ({ params }) =>
          "cursor" in params && typeof params.cursor !== "string" ? String(params.cursor) : undefined,
        ),
    },
    {
      id: `client-${era}-arguments-object`,
      scenario,
      requirement: "protocol:error:invalid-params",
      // The sentence binds the server.
      atMost: "warning",
      title: "The arguments of a call are an object, if there are any.",
      mend: "Send arguments as an object.",
      judge: (seen) =>
        everyRequest(requestsOf(seen, "tools/call"), "an object", ({ params }) =>
          params.arguments === undefined || isObject(params.arguments) ? undefined : params.arguments,
        ),
    },
    {
      id: `client-${era}-progress-token`,
      scenario,
      requirement: "protocol:progress:token-injected",
      title: "A progress token is a string or an integer.",
      mend: "Send a string or an integer as progressToken.",
      judge: (seen) =>
        everyRequest(
          requestsOf(seen).filter(({ meta }) => "progressToken" in meta),
          "a string or an integer",
          ({ meta: { progressToken: token } }) =>
            typeof token === "string" || Number.isInteger(token) ? undefined : (token ?? "null"),
        ),
    },
    {
      id: `client-${era}-progress-tokens-unique`,
      scenario,
      requirement: "protocol:progress:token-unique",
      // A token may come again once its request has been answered.
      atMost: "note",
      title: "No progress token is used for two requests.",
      mend: "Use the id of the request as its progress token.",
      judge: (seen) => {
        const tokens = requestsOf(seen)
          .filter(({ meta }) => "progressToken" in meta)
          .map(({ meta }) => JSON.stringify(meta.progressToken));
        if (tokens.length < 2) notObserved("the client sent fewer than two progress tokens");
        const twice = tokens.find((token, index) => tokens.indexOf(token) !== index);
        want(twice === undefined, "each token once", twice);
      },
    },
  ];
}
