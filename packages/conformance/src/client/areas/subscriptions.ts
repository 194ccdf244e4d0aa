/** How a modern client subscribes to changes, ends a subscription, and takes its end. Over HTTP and standard streams. */
import { notObserved } from "../../judge/expectations.js";
import { CLIENT_CAPABILITIES_KEY, REVISION_KEY, SUBSCRIPTION_KEY } from "../../target/envelope.js";
import { isObject, type JsonObject } from "../../wire/json-rpc.js";
import { event, eventStream, resultMessage } from "../replies.js";
import type { ClientArea, ClientCheck, MaybeReply, Scenario } from "../scenario.js";
import {
  everyRequest,
  notificationsOf,
  requestsOf,
  responsesOf,
  type SeenRequest,
  type Sighting,
  wantOf,
} from "../sighting.js";
import type { Stage } from "../stage.js";

const LISTEN = "subscriptions/listen";
const CANCELLED = "notifications/cancelled";
const FLAGS = ["toolsListChanged", "promptsListChanged", "resourcesListChanged"];

/** Noted if the response of a subscription was closed before the client went on. */
const CLOSED = "closed";

type Place = "http" | "stdio";

function notification(request: SeenRequest, method: string, params: JsonObject): string {
  const meta = { [SUBSCRIPTION_KEY]: request.message.id };
  return event({ jsonrpc: "2.0", method, params: { ...params, _meta: meta } });
}

function acknowledgment(request: SeenRequest): string {
  const { notifications } = request.params;
  return notification(request, "notifications/subscriptions/acknowledged", { notifications });
}

function change(request: SeenRequest): string {
  return notification(request, "notifications/tools/list_changed", {});
}

/** A server whose tools change as soon as a client listens. */
function listened(
  name: string,
  place: Place,
  summary: string,
  listen: (request: SeenRequest, stage: Stage) => MaybeReply,
): Scenario {
  return {
    name: place === "stdio" ? `stdio-${name}` : name,
    isOverStdio: place === "stdio",
    revisions: ["2026-07-28"],
    summary,
    script: (stage) => ({
      capabilities: { tools: { listChanged: true } },
      answers: {
        [LISTEN]: (request) => listen(request, stage),
        "tools/list": async () => {
          const [open] = requestsOf(stage.sightings, LISTEN);
          // Responses that are open at the end of the client close with it.
          if (place === "http" && open && (await stage.isAbandoned(open.sighting))) stage.notes.add(CLOSED);
          return undefined;
        },
      },
    }),
  };
}

function scenariosAt(place: Place): Scenario[] {
  return [
    listened("listen", place, "A subscription that brings one change and stays open.", (request) =>
      eventStream(`${acknowledgment(request)}${change(request)}`, "open"),
    ),
    listened("listen-ended", place, "A subscription that the server ends with a result at once.", (request) => {
      const ended = resultMessage(request, {});
      const result = { ...(ended.result as JsonObject), _meta: { [SUBSCRIPTION_KEY]: request.message.id } };
      return eventStream(`${acknowledgment(request)}${event({ ...ended, result })}`);
    }),
  ];
}

function listenOf(seen: readonly Sighting[]): SeenRequest {
  const [found] = requestsOf(seen, LISTEN);
  if (!found) notObserved("the client did not listen");
  return found;
}

function isFilter(filter: unknown): boolean {
  if (!isObject(filter)) return false;
  const { resourceSubscriptions: uris = [] } = filter;
  const areUris = Array.isArray(uris) && uris.every((uri) => typeof uri === "string");
  return areUris && FLAGS.every((flag) => ["boolean", "undefined"].includes(typeof filter[flag]));
}

function cancellationsOf(seen: readonly Sighting[], id: unknown): Sighting[] {
  return notificationsOf(seen, CANCELLED).filter(
    ({ value }) => isObject(value) && isObject(value.params) && value.params.requestId === id,
  );
}

function checksAt(place: Place): ClientCheck[] {
  const prefix = place === "stdio" ? "stdio-" : "";
  const scenario = `${prefix}listen`;
  const id = (name: string) => `client-${prefix}listen-${name}`;
  return [
    {
      id: id("filter"),
      scenario,
      requirement: "subscriptions:listen:per-stream-filter",
      // The schema says so. The sentence binds the server.
      atMost: "warning",
      title: "A subscription names the kinds of changes as booleans, and resources as a list of URIs.",
      mend: "Send notifications with booleans, and resourceSubscriptions as an array of strings.",
      judge: (seen) => {
        const { params, sighting } = listenOf(seen);
        wantOf([sighting], isFilter(params.notifications), "a filter", params.notifications);
      },
    },
    {
      id: id("meta"),
      scenario,
      requirement: "lifecycle:stateless:request-envelope",
      title: "A subscription carries the revision and the capabilities in _meta.",
      mend: "Send the metadata of every request with subscriptions/listen.",
      judge: (seen) =>
        everyRequest(requestsOf(seen, LISTEN), "revision and capabilities", ({ meta }) =>
          typeof meta[REVISION_KEY] === "string" && isObject(meta[CLIENT_CAPABILITIES_KEY]) ? undefined : meta,
        ),
    },
    {
      id: id("closed"),
      scenario,
      requirement: "subscriptions:listen:client-cancels",
      // A client may listen for as long as it lives.
      atMost: "note",
      title: "A client that wants no more changes ends its subscription.",
      mend: place === "http" ? "Close the response." : `Send ${CANCELLED} with the id of the subscription.`,
      judge: (seen, { notes }) => {
        const { sighting, message } = listenOf(seen);
        if (requestsOf(seen, "tools/list").length === 0) notObserved("the client did not go on to list the tools");
        const isEnded = place === "http" ? notes.has(CLOSED) : cancellationsOf(seen, message.id).length === 1;
        wantOf([sighting], isEnded, "an end", "an open subscription");
      },
    },
    {
      id: id("unanswered"),
      scenario,
      requirement: "protocol:notifications:no-response",
      title: "Notifications of a subscription are not answered.",
      mend: "Send nothing in answer to a notification.",
      judge: (seen) => {
        listenOf(seen);
        const [odd] = responsesOf(seen);
        wantOf([odd?.sighting], odd === undefined, "no answer", odd?.message);
      },
    },
    {
      id: id("ended-not-cancelled"),
      scenario: `${prefix}listen-ended`,
      requirement: "protocol:cancel:settled",
      title: "A subscription that the server has ended is not cancelled.",
      mend: "Cancel subscriptions that are in progress alone.",
      judge: (seen) => {
        const { message } = listenOf(seen);
        const late = cancellationsOf(seen, message.id);
        wantOf(late, late.length === 0, `no ${CANCELLED}`, CANCELLED);
      },
    },
    {
      id: id("ended-goes-on"),
      scenario: `${prefix}listen-ended`,
      requirement: "subscriptions:listen:client:graceful-close",
      title: "A client goes on after the server has ended its subscription.",
      mend: "Take a result of subscriptions/listen as the end of the subscription alone.",
      judge: (seen) => {
        listenOf(seen);
        wantOf([], requestsOf(seen, "tools/list").length > 0, "a list of the tools", "none");
      },
    },
  ];
}

export const subscriptions: ClientArea = {
  area: "client-subscriptions",
  scenarios: [
    ...scenariosAt("http"),
    ...scenariosAt("stdio"),
    listened("listen-crash", "stdio", "A program that exits in the first subscription.", (request, stage) =>
      requestsOf(stage.sightings, LISTEN).length === 1
        ? eventStream(acknowledgment(request), "reset")
        : eventStream(`${acknowledgment(request)}${change(request)}`, "open"),
    ),
  ],
  checks: [
    ...checksAt("http"),
    ...checksAt("stdio"),
    {
      id: "client-stdio-listen-restored",
      scenario: "stdio-listen-crash",
      requirement: "transport:stdio:restart",
      title: "A subscription is made again when its program was started again.",
      mend: "Send subscriptions/listen to the new program.",
      judge: (seen) => {
        const { sighting } = listenOf(seen);
        const later = seen.slice(seen.indexOf(sighting) + 1);
        if (!later.some(({ verb }) => verb === "start")) notObserved("the client did not start the program again");
        wantOf([sighting], requestsOf(later, LISTEN).length > 0, LISTEN, "none");
      },
    },
  ],
};
