/** How a legacy client subscribes to resources, and takes notifications of changes. Over HTTP and standard streams. */
import { notObserved } from "../../judge/expectations.js";
import type { JsonObject } from "../../wire/json-rpc.js";
import { answer, event, eventStream, resultMessage } from "../replies.js";
import type { ClientArea, ClientCheck, Scenario, Script } from "../scenario.js";
import { everyRequest, requestsOf, responsesOf, type SeenRequest, type Sighting, wantOf } from "../sighting.js";
import type { Stage } from "../stage.js";

const SUBSCRIBE = "resources/subscribe";
const UNSUBSCRIBE = "resources/unsubscribe";

const RESOURCES = ["note://first", "note://second"].map((uri) => ({ uri, name: uri }));

/** Nobody subscribes to it. */
const UNWATCHED = "note://elsewhere";

/** Noted when the notifications of a change have been written. */
const TOLD = "told";

type Place = "http" | "stdio";

/** A change of the tools, an update that nobody asked for, and the update of the resource. */
function changesOf({ params: { uri } }: SeenRequest): string {
  const notices: [string, JsonObject][] = [
    ["notifications/tools/list_changed", {}],
    ["notifications/resources/list_changed", {}],
    ["notifications/resources/updated", { uri: UNWATCHED }],
    ["notifications/resources/updated", { uri }],
  ];
  return notices.map(([method, params]) => event({ jsonrpc: "2.0", method, params })).join("");
}

/** Over HTTP the notifications come on the standalone stream, after the response to the subscription. */
function watchedOverHttp(stage: Stage): Script {
  let subscribed: (request: SeenRequest) => void = () => undefined;
  const first = new Promise<SeenRequest>((resolve) => {
    subscribed = resolve;
  });
  async function* standalone(): AsyncIterable<string> {
    yield ":\n\n";
    const request = await first;
    await stage.isAbandoned(request.sighting);
    stage.notes.add(TOLD);
    yield changesOf(request);
  }
  return {
    intercept: ({ verb }) => (verb === "GET" ? eventStream(standalone(), "open") : undefined),
    answers: {
      [SUBSCRIBE]: (request) => {
        subscribed(request);
        return answer(request, {});
      },
    },
  };
}

function watchedOverStdio(stage: Stage): Script {
  return {
    answers: {
      [SUBSCRIBE]: (request) => {
        stage.notes.add(TOLD);
        return eventStream(`${event(resultMessage(request, {}))}${changesOf(request)}`);
      },
    },
  };
}

function scenariosAt(place: Place): Scenario[] {
  const prefix = place === "stdio" ? "stdio-" : "";
  const shared: Pick<Scenario, "isOverStdio" | "revisions"> = {
    isOverStdio: place === "stdio",
    revisions: [...(place === "stdio" ? (["2024-11-05"] as const) : []), "2025-03-26", "2025-06-18", "2025-11-25"],
  };
  return [
    {
      ...shared,
      name: `${prefix}watched-resources`,
      summary:
        "Resources that a client subscribes to. The first subscription is followed by its update, and by others.",
      script: (stage) => {
        const { answers, ...rest } = (place === "stdio" ? watchedOverStdio : watchedOverHttp)(stage);
        return {
          ...rest,
          resources: RESOURCES,
          capabilities: { tools: { listChanged: true }, resources: { subscribe: true, listChanged: true } },
          answers: { ...answers, [UNSUBSCRIBE]: (request) => answer(request, {}) },
        };
      },
    },
    {
      ...shared,
      name: `${prefix}unwatched-resources`,
      summary: "Resources of a server that takes no subscriptions.",
      script: () => ({ resources: RESOURCES }),
    },
  ];
}

function subscriptionsOf(seen: readonly Sighting[]): SeenRequest[] {
  const found = requestsOf(seen, SUBSCRIBE);
  if (found.length === 0) notObserved("the client subscribed to no resource");
  return found;
}

/** What the client sent after its first subscription, if it was told of changes. */
function afterChanges(seen: readonly Sighting[], { notes }: Stage): Sighting[] {
  const [first] = subscriptionsOf(seen);
  if (!notes.has(TOLD)) notObserved("the client opened no standalone stream, so it was told of no change");
  return first ? seen.slice(seen.indexOf(first.sighting) + 1) : [];
}

function checksAt(place: Place): ClientCheck[] {
  const prefix = place === "stdio" ? "stdio-" : "";
  const scenario = `${prefix}watched-resources`;
  const id = (name: string) => `client-${prefix}${name}`;
  const ending = place === "stdio" ? ", over standard streams." : ".";
  return [
    {
      id: id("subscribe-uri"),
      scenario,
      requirement: "resources:subscribe",
      title: `A subscription names the URI of a resource as it was listed${ending}`,
      mend: "Send uri with resources/subscribe, unchanged.",
      judge: (seen) =>
        everyRequest(subscriptionsOf(seen), "a listed URI", ({ params }) =>
          RESOURCES.some(({ uri }) => uri === params.uri) ? undefined : { uri: params.uri },
        ),
    },
    {
      id: id("subscribe-once"),
      scenario,
      requirement: "resources:subscribe:once-per-client",
      title: `A resource is subscribed to once at a time${ending}`,
      mend: "Share one subscription of the server between those who watch a resource.",
      judge: (seen) => {
        subscriptionsOf(seen);
        const watched = new Set<unknown>();
        for (const { method, params, sighting } of requestsOf(seen)) {
          if (method === UNSUBSCRIBE) watched.delete(params.uri);
          if (method !== SUBSCRIBE) continue;
          wantOf([sighting], !watched.has(params.uri), "one subscription", "another one to the same resource");
          watched.add(params.uri);
        }
      },
    },
    {
      id: id("subscribe-undeclared"),
      scenario: `${prefix}unwatched-resources`,
      requirement: "client:list-changed:capability-gated",
      title: `A server that does not declare resources.subscribe gets no subscription${ending}`,
      mend: "Look for resources.subscribe in the capabilities of the server.",
      judge: (seen) => {
        if (requestsOf(seen, "resources/list").length === 0) notObserved("the client listed no resources");
        const [odd] = requestsOf(seen, SUBSCRIBE);
        wantOf([odd?.sighting], odd === undefined, "no resources/subscribe", SUBSCRIBE);
      },
    },
    {
      id: id("unsubscribe-uri"),
      scenario,
      requirement: "resources:unsubscribe",
      title: `A client unsubscribes from URIs that it has subscribed to${ending}`,
      mend: "Send the uri of the subscription with resources/unsubscribe.",
      judge: (seen) => {
        const uris = subscriptionsOf(seen).map(({ params }) => params.uri);
        everyRequest(requestsOf(seen, UNSUBSCRIBE), "the URI of a subscription", ({ params }) =>
          uris.includes(params.uri) ? undefined : { uri: params.uri },
        );
      },
    },
    {
      id: id("unsubscribed"),
      scenario,
      requirement: "resources:unsubscribe:stops-updates",
      // The sentence offers the request and demands nothing.
      atMost: "note",
      title: `A client that wants no more updates unsubscribes${ending}`,
      mend: "Send resources/unsubscribe.",
      judge: (seen) => {
        const [first] = subscriptionsOf(seen);
        wantOf([first?.sighting], requestsOf(seen, UNSUBSCRIBE).length > 0, UNSUBSCRIBE, "none");
      },
    },
    {
      id: id("updated-unanswered"),
      scenario,
      requirement: "protocol:notifications:no-response",
      title: `Notifications of changes are not answered${ending}`,
      mend: "Send nothing in answer to a notification.",
      judge: (seen, stage) => {
        const [odd] = responsesOf(afterChanges(seen, stage));
        wantOf([odd?.sighting], odd === undefined, "no answer", odd?.message);
      },
    },
    {
      id: id("updated-goes-on"),
      scenario,
      requirement: "resources:updated-notification",
      title: `A client goes on after changed lists and an update that it did not ask for${ending}`,
      mend: "Ignore updates of resources that the client is not subscribed to. Lists may be fetched again, or not.",
      judge: (seen, stage) => {
        const later = requestsOf(afterChanges(seen, stage)).filter(({ method }) => method !== SUBSCRIBE);
        wantOf([], later.length > 0, "a further request", "none");
      },
    },
  ];
}

export const legacySubscriptions: ClientArea = {
  area: "client-legacy-subscriptions",
  scenarios: [...scenariosAt("http"), ...scenariosAt("stdio")],
  checks: [...checksAt("http"), ...checksAt("stdio")],
};
