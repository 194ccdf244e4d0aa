/** How a client gives up a call: over HTTP by closing its response or by a notification, over standard streams by a notification. */
import { notObserved } from "../../judge/expectations.js";
import { isObject } from "../../wire/json-rpc.js";
import { answer, eventStream } from "../replies.js";
import type { ClientArea, ClientCheck, Scenario } from "../scenario.js";
import { assertOnTime, callsOf, notificationsOf, type SeenRequest, type Sighting, wantOf } from "../sighting.js";

const TOOLS = ["hang", "after"].map((name) => ({ name, inputSchema: { type: "object" } }));

const CANCELLED = "notifications/cancelled";

/** Noted if the response of a call was closed before the client went on. */
const CLOSED = "closed";

type Place = "modern" | "legacy" | "stdio-modern" | "stdio-legacy";

function scenarioAt(place: Place): Scenario {
  return {
    name: `cancel-${place}`,
    isOverStdio: place.startsWith("stdio"),
    revisions: [place.endsWith("modern") ? "2026-07-28" : "2025-11-25"],
    summary:
      "A tool `hang` that never answers, and a tool after it. A client gives the call of `hang` up after a second.",
    script: (stage) => ({
      tools: TOOLS,
      answers: {
        "tools/call": async (request) => {
          if (request.params.name === "hang") return eventStream(": working\n\n", "open");
          const [hanging] = callsOf(stage.sightings, "hang");
          // Responses that are open at the end of the client close with it.
          if (place === "modern" && hanging && (await stage.isAbandoned(hanging.sighting))) stage.notes.add(CLOSED);
          return answer(request, { content: [] });
        },
      },
    }),
  };
}

/** The call that the client was to give up. */
function hangingCall(seen: readonly Sighting[]): SeenRequest {
  const [call] = callsOf(seen, "hang");
  if (!call) notObserved("the client did not call the tool");
  return call;
}

/** The cancellations that the client sent, of a call that it gave up. */
function cancellationsOf(seen: readonly Sighting[]): { call: SeenRequest; sent: Sighting[] } {
  const call = hangingCall(seen);
  const sent = notificationsOf(seen, CANCELLED);
  if (sent.length === 0) notObserved("the client sent no cancellation");
  return { call, sent };
}

function requestIdOf({ value }: Sighting): unknown {
  return isObject(value) && isObject(value.params) ? value.params.requestId : undefined;
}

/** Checks of places where a notification cancels. */
function notificationChecks(place: Exclude<Place, "modern">): ClientCheck[] {
  const scenario = `cancel-${place}`;
  const id = (name: string) => `client-${place}-cancel-${name}`;
  const sending = place === "legacy" ? "client-transport:http:cancel-posts-frame" : "protocol:cancel:stream-frame";
  return [
    {
      id: id("sent"),
      scenario,
      requirement: sending,
      // How a call is cancelled is a MUST. That one which is given up is cancelled is a SHOULD.
      atMost: "warning",
      title: "A call that is given up is cancelled with a notification.",
      mend: `Send ${CANCELLED} when a call is given up or takes too long.`,
      judge: (seen, stage) => {
        const { sighting } = hangingCall(seen);
        const isSent = notificationsOf(seen, CANCELLED).length > 0;
        if (!isSent) assertOnTime(stage);
        wantOf([sighting], isSent, CANCELLED, "none");
      },
    },
    {
      id: id("names-request"),
      scenario,
      requirement: "protocol:cancel:stream-frame",
      title: "A cancellation names the id of a request that is in progress, with its type.",
      mend: "Send the id of the request as requestId, a number as a number.",
      judge: (seen) => {
        const { call, sent } = cancellationsOf(seen);
        const odd = sent.find((item) => requestIdOf(item) !== call.message.id);
        wantOf([odd], odd === undefined, JSON.stringify(call.message.id), odd && requestIdOf(odd));
      },
    },
    {
      id: id("once"),
      scenario,
      requirement: "protocol:cancel:stream-frame",
      atMost: "warning",
      title: "A call is cancelled once.",
      mend: `Send one ${CANCELLED} for each request.`,
      judge: (seen) => {
        const { sent } = cancellationsOf(seen);
        wantOf(sent, sent.length === 1, "one notification", `${sent.length}`);
      },
    },
    goesOn(place),
  ];
}

function goesOn(place: Place): ClientCheck {
  return {
    id: `client-${place}-cancel-goes-on`,
    scenario: `cancel-${place}`,
    requirement: "protocol:cancel:session-survives",
    // The program of the client may end for a reason of its own.
    atMost: "warning",
    title: "After a call was given up, the connection is used for the next one.",
    mend: "Keep the connection open when a call is given up.",
    judge: (seen, stage) => {
      hangingCall(seen);
      const isGoingOn = callsOf(seen, "after").length > 0;
      if (!isGoingOn) assertOnTime(stage);
      wantOf([], isGoingOn, "the call of the next tool", "none");
    },
  };
}

export const cancellation: ClientArea = {
  area: "client-cancellation",
  scenarios: (["modern", "legacy", "stdio-modern", "stdio-legacy"] as const).map(scenarioAt),
  checks: [
    {
      id: "client-modern-cancel-closes",
      scenario: "cancel-modern",
      requirement: "client-transport:http:cancel-closes-stream",
      title: "A call that is given up closes its response.",
      mend: "Close the response when a call is given up or takes too long.",
      judge: (seen, { notes }) => {
        const { sighting } = hangingCall(seen);
        if (callsOf(seen, "after").length === 0) notObserved("the client did not call the next tool");
        wantOf([sighting], notes.has(CLOSED), "a closed response", "an open one");
      },
    },
    {
      id: "client-modern-cancel-not-posted",
      scenario: "cancel-modern",
      requirement: "client-transport:http:cancel-closes-stream",
      atMost: "note",
      title: "A call that is given up posts no cancellation.",
      mend: `Close the response, and leave ${CANCELLED} out.`,
      judge: (seen) => {
        hangingCall(seen);
        const sent = notificationsOf(seen, CANCELLED);
        wantOf(sent, sent.length === 0, `no ${CANCELLED}`, CANCELLED);
      },
    },
    goesOn("modern"),
    ...notificationChecks("legacy"),
    ...notificationChecks("stdio-modern"),
    ...notificationChecks("stdio-legacy"),
  ],
};
