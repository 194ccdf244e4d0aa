/** How a client loses and renews a conversation: sessions, resumed streams, redirects, cursors. */
import { notObserved } from "../../judge/expectations.js";
import { sessionId } from "../played-server.js";
import { answer, empty, event, eventStream, resultMessage } from "../replies.js";
import type { ClientArea } from "../scenario.js";
import {
  afterHandshake,
  callsOf,
  handshakeOf,
  notificationsOf,
  requestsOf,
  type Sighting,
  wantOf,
} from "../sighting.js";

const ONE_TOOL = [{ name: "work", inputSchema: { type: "object" } }];

/** The sightings after the first one in the first session that got a 404. */
function afterLoss(seen: readonly Sighting[]): Sighting[] {
  const at = seen.findIndex(({ status, headers }) => status === 404 && headers["mcp-session-id"] === sessionId(1));
  if (at < 0) notObserved("the client did not see the end of its session");
  return seen.slice(at + 1);
}

/** The GET that resumes the stream of a call. */
function resumptionOf(seen: readonly Sighting[]): Sighting {
  if (callsOf(seen, "work").length === 0) notObserved("the client did not call the tool");
  const found = seen.find(({ verb, headers }) => verb === "GET" && headers["last-event-id"] !== undefined);
  if (!found) notObserved("the client did not resume the stream");
  return found;
}

const RETRY_MS = 200;

export const conversations: ClientArea = {
  area: "client-conversations",
  scenarios: [
    {
      name: "no-sessions",
      revisions: ["2025-11-25"],
      summary: "A legacy server without sessions and without a standalone stream.",
      script: () => ({
        hasNoSessions: true,
        intercept: ({ verb }) => (verb === "GET" || verb === "DELETE" ? empty(405) : undefined),
      }),
    },
    {
      name: "session-lost",
      revisions: ["2025-11-25"],
      summary: "A legacy server that forgets its first session before the first call.",
      script: (stage) => ({
        intercept: ({ headers, value }) => {
          const hasCalled = stage.count((item) => requestsOf([item], "tools/call").length > 0) > 0;
          const isOld = headers["mcp-session-id"] === sessionId(1);
          return hasCalled && isOld && value !== undefined ? empty(404) : undefined;
        },
      }),
    },
    {
      name: "sessions-lost",
      revisions: ["2025-11-25"],
      summary: "A legacy server that forgets every session before a call.",
      script: () => ({
        intercept: (sighting) => (requestsOf([sighting], "tools/call").length > 0 ? empty(404) : undefined),
      }),
    },
    {
      name: "resumed-stream",
      revisions: ["2025-11-25"],
      summary:
        "A legacy server that ends the stream of a call after an event with an id, and answers on the resumed one.",
      script: (stage) => ({
        tools: ONE_TOOL,
        answers: {
          "tools/call": () => eventStream(event("", { id: "event-1 of work", retry: RETRY_MS })),
        },
        intercept: ({ verb, headers }) => {
          if (verb !== "GET" || headers["last-event-id"] === undefined) return undefined;
          const [call] = callsOf(stage.sightings, "work");
          return call ? eventStream(event(resultMessage(call, { content: [] }), { id: "event-2" })) : undefined;
        },
      }),
    },
    {
      name: "answered-stream",
      revisions: ["2025-11-25"],
      summary: "A legacy server whose streams have event ids and end after the answer.",
      script: () => ({
        tools: ONE_TOOL,
        answers: {
          "tools/call": (request) =>
            eventStream(
              `${event("", { id: "event-1" })}${event(resultMessage(request, { content: [] }), { id: "event-2" })}`,
            ),
        },
      }),
    },
    {
      name: "lost-stream",
      revisions: ["2025-11-25"],
      summary: "A legacy server that ends the stream of a call without an answer and without an event id.",
      script: () => ({ tools: ONE_TOOL, answers: { "tools/call": () => eventStream(": nothing\n\n") } }),
    },
    {
      name: "lost-modern-stream",
      revisions: ["2026-07-28"],
      summary: "A modern server that ends the stream of a call without an answer, after an event with an id.",
      script: () => ({
        tools: ONE_TOOL,
        answers: { "tools/call": () => eventStream(event("", { id: "event-1", retry: 10 })) },
      }),
    },
    {
      name: "redirected",
      revisions: ["2026-07-28"],
      summary: "A modern server that redirects the calls of a tool to another origin.",
      script: (stage) => ({
        tools: ONE_TOOL,
        answers: { "tools/call": () => empty(307, { location: `${stage.originOf("other")}/mcp` }) },
      }),
    },
    {
      name: "empty-cursor",
      revisions: ["2026-07-28"],
      summary: "A list whose third page is named by an empty cursor.",
      script: () => ({
        answers: {
          "tools/list": (request) => {
            const { cursor = "first" } = request.params;
            const nextCursor = { first: "second", second: "" }[String(cursor)];
            return answer(request, { tools: [], ...(nextCursor === undefined ? {} : { nextCursor }) });
          },
        },
      }),
    },
    {
      name: "repeated-cursor",
      revisions: ["2026-07-28"],
      summary: "A list whose every page names the same next page.",
      script: () => ({ answers: { "tools/list": (request) => answer(request, { tools: [], nextCursor: "again" }) } }),
    },
  ],
  checks: [
    {
      id: "client-no-sessions",
      scenario: "no-sessions",
      requirement: "client-transport:http:session-stored",
      // The sentence is about ids that were given out.
      atMost: "warning",
      title: "A client that was given no session id sends none.",
      mend: "Send Mcp-Session-Id only if the server has given one out.",
      judge: (seen) => {
        const odd = afterHandshake(seen).find(({ headers }) => headers["mcp-session-id"] !== undefined);
        wantOf([odd], odd === undefined, "no session id", odd?.headers["mcp-session-id"]);
      },
    },
    {
      id: "client-no-standalone-stream",
      scenario: "no-sessions",
      requirement: "client-transport:http:sse-405-tolerated",
      title: "A client whose GET is refused with 405 goes on.",
      mend: "Take 405 as a server without a standalone stream.",
      judge: (seen) => {
        const gets = seen.filter(({ verb }) => verb === "GET");
        if (gets.length === 0) notObserved("the client opened no standalone stream");
        wantOf(gets, gets.length <= 3 && requestsOf(seen, "tools/list").length > 0, "few GETs", `${gets.length}`);
      },
    },
    {
      id: "client-session-renewed",
      scenario: "session-lost",
      requirement: "client-transport:http:session-404-reinitialize",
      title: "A 404 in a session leads to a new handshake.",
      mend: "Send initialize after a 404 to a request with a session id.",
      judge: (seen) => {
        const later = afterLoss(seen);
        wantOf(seen.slice(-1), requestsOf(later, "initialize").length > 0, "initialize", "none");
      },
    },
    {
      id: "client-session-renewed-bare",
      scenario: "session-lost",
      requirement: "client-transport:http:session-404-reinitialize",
      title: "The handshake of a new session has no session id.",
      mend: "Forget the old session id before the new handshake.",
      judge: (seen) => {
        const { headers, sighting } = handshakeOf(afterLoss(seen));
        wantOf([sighting], headers["mcp-session-id"] === undefined, "no session id", headers["mcp-session-id"]);
      },
    },
    {
      id: "client-session-renewed-initialized",
      scenario: "session-lost",
      requirement: "lifecycle:initialized-notification",
      title: "notifications/initialized follows the handshake of a new session.",
      mend: "Send notifications/initialized in each session.",
      judge: (seen) => {
        const later = afterHandshake(afterLoss(seen));
        wantOf(
          later,
          notificationsOf(later, "notifications/initialized").length === 1,
          "one notification",
          "another number",
        );
      },
    },
    {
      id: "client-session-renewed-call",
      scenario: "session-lost",
      requirement: "client-transport:http:session-404-reinitialize",
      // The sentence asks for the handshake alone.
      atMost: "warning",
      title: "The call that met the lost session is made again in the new one.",
      mend: "Send the refused request again after the new handshake.",
      judge: (seen) => {
        const later = afterHandshake(afterLoss(seen));
        wantOf(later.slice(-1), callsOf(later, "echo").length > 0, "the call of echo", "none");
      },
    },
    {
      id: "client-sessions-bounded",
      scenario: "sessions-lost",
      requirement: "client-transport:http:404-surfaces",
      title: "A server that forgets every session is given up.",
      mend: "Report a 404 in a renewed session to the caller.",
      judge: (seen) => {
        afterLoss(seen);
        const handshakes = requestsOf(seen, "initialize");
        wantOf([], handshakes.length <= 6, "a few handshakes", `${handshakes.length}`);
      },
    },
    {
      id: "client-resumes",
      scenario: "resumed-stream",
      requirement: "client-transport:http:reconnect-post-priming",
      title: "The lost stream of a call is resumed by GET.",
      mend: "Send GET with Last-Event-ID if the stream gave an event id.",
      judge: (seen) => {
        if (callsOf(seen, "work").length === 0) notObserved("the client did not call the tool");
        const isResumed = seen.some(({ headers }) => headers["last-event-id"] !== undefined);
        wantOf([], isResumed, "GET with Last-Event-ID", "none");
      },
    },
    {
      id: "client-resumes-event-id",
      scenario: "resumed-stream",
      requirement: "client-transport:http:reconnect-post-priming",
      title: "Last-Event-ID is the id of the last event, unchanged.",
      mend: "Send the id of the last event as it came.",
      judge: (seen) => {
        const found = resumptionOf(seen);
        const id = found.headers["last-event-id"];
        wantOf([found], id === "event-1 of work", "event-1 of work", id);
      },
    },
    {
      id: "client-resumes-after-retry",
      scenario: "resumed-stream",
      requirement: "client-transport:http:reconnect-retry-value",
      title: "A stream is not resumed before the time that retry names.",
      mend: "Wait for the milliseconds of the last retry field.",
      judge: (seen) => {
        const found = resumptionOf(seen);
        const waited = found.atMs - (callsOf(seen, "work")[0]?.sighting.atMs ?? 0);
        wantOf([found], waited >= RETRY_MS - 50, `at least ${RETRY_MS} ms`, `${Math.round(waited)} ms`);
      },
    },
    {
      id: "client-resumes-in-session",
      scenario: "resumed-stream",
      requirement: "client-transport:http:session-stored",
      title: "The request that resumes a stream carries the session id.",
      mend: "Send Mcp-Session-Id with every GET.",
      judge: (seen) => {
        const found = resumptionOf(seen);
        wantOf(
          [found],
          found.headers["mcp-session-id"] === sessionId(1),
          sessionId(1),
          found.headers["mcp-session-id"] ?? "none",
        );
      },
    },
    {
      id: "client-resumes-not-reposted",
      scenario: "resumed-stream",
      requirement: "client-transport:http:session-lost-midway",
      title: "A call whose stream is resumed is not posted again.",
      mend: "Wait for the answer on the resumed stream.",
      judge: (seen) => {
        resumptionOf(seen);
        const calls = callsOf(seen, "work");
        wantOf([calls.at(-1)?.sighting], calls.length === 1, "one call", `${calls.length}`);
      },
    },
    {
      id: "client-answered-not-resumed",
      scenario: "answered-stream",
      requirement: "client-transport:http:no-reconnect-after-response",
      title: "A stream that has brought its answer is not resumed.",
      mend: "Forget a stream when its request is answered.",
      judge: (seen) => {
        if (callsOf(seen, "work").length === 0) notObserved("the client did not call the tool");
        const odd = seen.find(({ headers }) => headers["last-event-id"] !== undefined);
        wantOf([odd], odd === undefined, "no GET with Last-Event-ID", odd?.headers["last-event-id"]);
      },
    },
    {
      id: "client-lost-not-resumed",
      scenario: "lost-stream",
      requirement: "client-transport:http:reconnect-post-priming",
      title: "A lost stream without an event id is not resumed.",
      mend: "Resume streams that gave an event id alone.",
      judge: (seen) => {
        if (callsOf(seen, "work").length === 0) notObserved("the client did not call the tool");
        const odd = seen.find(({ headers }) => headers["last-event-id"] !== undefined);
        wantOf([odd], odd === undefined, "no Last-Event-ID", odd?.headers["last-event-id"]);
      },
    },
    {
      id: "client-modern-not-resumed",
      scenario: "lost-modern-stream",
      requirement: "client-transport:http:stateless-ignores-session-id",
      title: "A modern client resumes no stream.",
      mend: "Send no GET and no Last-Event-ID to a modern server.",
      judge: (seen) => {
        if (callsOf(seen, "work").length === 0) notObserved("the client did not call the tool");
        const odd = seen.find(({ verb, headers }) => verb === "GET" || headers["last-event-id"] !== undefined);
        wantOf([odd], odd === undefined, "no resumption", odd?.verb);
      },
    },
    {
      id: "client-redirect",
      scenario: "redirected",
      requirement: "client-transport:http:redirects",
      title: "A call is not redirected to another origin.",
      mend: "Follow redirects within the origin alone.",
      judge: (seen) => {
        if (callsOf(seen, "work").length === 0) notObserved("the client did not call the tool");
        const odd = seen.find(({ origin }) => origin === "other");
        wantOf([odd], odd === undefined, "no request", odd?.verb);
      },
    },
    {
      id: "client-empty-cursor",
      scenario: "empty-cursor",
      requirement: "client-transport:http:empty-cursor",
      title: "An empty cursor leads to another page.",
      mend: "End a list where nextCursor is missing, and not where it is empty.",
      judge: (seen) => {
        const lists = requestsOf(seen, "tools/list");
        if (!lists.some(({ params }) => params.cursor === "second")) notObserved("the client asks for no second page");
        wantOf(
          [lists.at(-1)?.sighting],
          lists.some(({ params }) => params.cursor === ""),
          "an empty cursor",
          "none",
        );
      },
    },
    {
      id: "client-repeated-cursor",
      scenario: "repeated-cursor",
      requirement: "pagination:client:repeated-cursor",
      title: "A list whose pages name the same next page is given up.",
      mend: "Stop at a nextCursor that is the cursor of its page.",
      judge: (seen) => {
        const lists = requestsOf(seen, "tools/list");
        if (lists.length < 2) notObserved("the client asked for one page alone");
        wantOf([lists.at(-1)?.sighting], lists.length <= 10, "a few pages", `${lists.length}`);
      },
    },
  ],
};
