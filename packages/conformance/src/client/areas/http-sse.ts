/** How a client finds a server of HTTP+SSE, the transport of 2024-11-05, and speaks to it. */
import { notObserved } from "../../judge/expectations.js";
import { isObject } from "../../wire/json-rpc.js";
import type { SseHabits } from "../played-sse.js";
import { isModernRequest } from "../replies.js";
import type { ClientArea, ClientCheck, Scenario } from "../scenario.js";
import { callsOf, everyRequest, notificationsOf, requestsOf, responsesOf, type Sighting, wantOf } from "../sighting.js";
import type { Stage } from "../stage.js";
import { isNamed } from "./message-checks.js";

/** The endpoint of each server, path and query. */
const ENDPOINT = "/mcp/messages?session=a%20b&from=%2Fmcp";

const PING = { jsonrpc: "2.0", id: "ping-1", method: "ping" };

/** A comment, an event of another kind and one without data, all of which a reader of events passes over. */
const AHEAD = ": hello\n\nevent: greeting\ndata: hello\n\nevent: endpoint\n\n";

function scenario(name: string, summary: string, sse: (stage: Stage) => SseHabits): Scenario {
  return {
    name,
    revisions: ["2024-11-05"],
    summary,
    script: (stage) => ({ hasNoSessions: true, sse: sse(stage) }),
  };
}

/** The request for the event stream. */
function streamOf(seen: readonly Sighting[]): Sighting {
  const found = seen.find(({ verb, path }) => verb === "GET" && path === "/mcp");
  if (!found) notObserved("the client opened no event stream");
  return found;
}

/** POSTs since the stream was opened. */
function postsAfterStream(seen: readonly Sighting[]): Sighting[] {
  const posts = seen.slice(seen.indexOf(streamOf(seen)) + 1).filter(({ verb }) => verb === "POST");
  if (posts.length === 0) notObserved("the client sent no message after it opened the stream");
  return posts;
}

function fallbackCheck(status: 400 | 404 | 405): ClientCheck {
  return {
    id: `client-sse-after-${status}`,
    scenario: `sse-${status}`,
    requirement: "client-transport:sse:fallback",
    // The sentence is about clients that want to support older servers.
    atMost: "note",
    title: `A client whose first POST is answered with ${status} opens an event stream with GET.`,
    mend: `Send GET with Accept: text/event-stream to the URL of the server after ${status}, and wait for an endpoint event.`,
    judge: (seen) => {
      const refused = seen.find(({ verb }) => verb === "POST");
      if (!refused) notObserved("the client sent no POST");
      const isOpened = seen.some(({ verb, path }) => verb === "GET" && path === "/mcp");
      wantOf([refused], isOpened, "GET", "no GET");
    },
  };
}

/** Every message goes to the endpoint, as the event names it. */
function endpointCheck(id: string, name: string, title: string): ClientCheck {
  return {
    id,
    scenario: name,
    requirement: "transport:sse:endpoint-event",
    title,
    mend: "Send every message as a POST to the URI of the endpoint event, with its query.",
    judge: (seen) => {
      const odd = postsAfterStream(seen).find(({ origin, path }) => origin !== "mcp" || path !== ENDPOINT);
      wantOf([odd], odd === undefined, `POST ${ENDPOINT}`, `POST ${odd?.path}`);
    },
  };
}

export const httpSse: ClientArea = {
  area: "client-http-sse",
  scenarios: [
    scenario("sse-405", "An HTTP+SSE server that answers POST with 405. Its endpoint is a path.", () => ({
      refusal: 405,
      endpoint: () => ENDPOINT,
      asks: JSON.stringify(PING),
    })),
    scenario("sse-404", "An HTTP+SSE server that answers POST with 404. Its endpoint is a URL.", (stage) => ({
      refusal: 404,
      endpoint: () => `${stage.originOf("mcp")}${ENDPOINT}`,
    })),
    scenario("sse-400", "An HTTP+SSE server that answers POST with 400, and sends other events first.", () => ({
      refusal: 400,
      endpoint: () => ENDPOINT,
      ahead: AHEAD,
    })),
    scenario("sse-elsewhere", "An HTTP+SSE server whose endpoint is on another origin.", (stage) => ({
      refusal: 405,
      endpoint: () => `${stage.originOf("other")}${ENDPOINT}`,
    })),
  ],
  checks: [
    fallbackCheck(400),
    fallbackCheck(404),
    fallbackCheck(405),
    {
      id: "client-sse-not-after-modern-error",
      scenario: "probe-header-mismatch",
      requirement: "client-transport:sse:no-fallback",
      title: "A modern error is not taken for an HTTP+SSE server.",
      mend: "Open no event stream after 400 with a JSON-RPC error of the modern era.",
      judge: (seen) => {
        const [probe] = requestsOf(seen, "server/discover");
        if (!probe) notObserved("the client sent no probe");
        // A client that made a handshake opens the standalone stream of its session.
        if (requestsOf(seen, "initialize").length > 0) notObserved("the client went on with a handshake");
        const stream = seen.find(({ verb }) => verb === "GET");
        wantOf([probe.sighting, stream], stream === undefined, "no GET", "GET");
      },
    },
    {
      id: "client-sse-accept",
      scenario: "sse-405",
      requirement: "client-transport:http:accept-header-get",
      revisions: ["2024-11-05"],
      title: "The event stream of HTTP+SSE is asked for with text/event-stream.",
      mend: "Send Accept: text/event-stream with the GET.",
      judge: (seen) => {
        const stream = streamOf(seen);
        const { accept = "none" } = stream.headers;
        wantOf([stream], accept.includes("text/event-stream"), "text/event-stream", accept);
      },
    },
    endpointCheck("client-sse-endpoint", "sse-405", "Every message goes to the path and query of the endpoint event."),
    endpointCheck("client-sse-endpoint-url", "sse-404", "Every message goes to the URL of the endpoint event."),
    {
      id: "client-sse-endpoint-origin",
      scenario: "sse-elsewhere",
      requirement: "client-transport:sse:endpoint-origin",
      title: "Nothing is sent to an endpoint on another origin.",
      mend: "Compare the origin of the endpoint event with that of the server.",
      judge: (seen) => {
        streamOf(seen);
        const odd = seen.find(({ origin }) => origin === "other");
        wantOf([odd], odd === undefined, "no request to another origin", `${odd?.verb} ${odd?.path}`);
      },
    },
    {
      id: "client-sse-events-ahead",
      scenario: "sse-400",
      requirement: "client-transport:http:stream-framing",
      title: "Comments and other events ahead of the endpoint event are passed over.",
      mend: "Wait for the first event with the name endpoint and with data.",
      judge: (seen) => {
        const stream = streamOf(seen);
        const isSent = seen.some(({ verb, path }) => verb === "POST" && path === ENDPOINT);
        wantOf([stream], isSent, `POST ${ENDPOINT}`, "no POST there");
      },
    },
    {
      id: "client-sse-initialize",
      scenario: "sse-405",
      requirement: "lifecycle:initialize:basic",
      title: "The first message over HTTP+SSE is initialize, with revision, capabilities and identity.",
      mend: "Make the handshake anew over the event stream: the refused one has reached nobody.",
      judge: (seen) => {
        const [first] = postsAfterStream(seen).filter((item) => !requestsOf([item]).some(isModernRequest));
        const [handshake] = requestsOf(first ? [first] : [], "initialize");
        const { protocolVersion, capabilities, clientInfo } = handshake?.params ?? {};
        const isWhole = typeof protocolVersion === "string" && isObject(capabilities) && isNamed(clientInfo);
        wantOf([first], isWhole, "initialize", first?.body);
      },
    },
    {
      id: "client-sse-initialized",
      scenario: "sse-405",
      requirement: "lifecycle:initialized-notification",
      title: "The answer to initialize is followed by notifications/initialized, before any request.",
      mend: "Send notifications/initialized right after the answer to initialize has arrived.",
      judge: (seen) => {
        const posts = postsAfterStream(seen).filter((item) => !requestsOf([item]).some(isModernRequest));
        const [, second] = posts;
        if (!second) notObserved("the client sent one message alone");
        const isRight = notificationsOf([second], "notifications/initialized").length === 1;
        wantOf([second], isRight, "notifications/initialized", second.body);
      },
    },
    {
      id: "client-sse-goes-on",
      scenario: "sse-405",
      requirement: "transport:sse:endpoint-event",
      atMost: "warning",
      title: "Message events answer requests, and the bodies of accepted POSTs do not.",
      mend: "Take answers from the event stream, and ignore the body of a POST.",
      judge: (seen) => {
        const lists = requestsOf(postsAfterStream(seen), "tools/list");
        if (lists.length === 0) notObserved("the client did not list the tools");
        wantOf([lists[0]?.sighting], callsOf(seen, "echo").length > 0, "a call of a listed tool", "none");
      },
    },
    {
      id: "client-sse-ping",
      scenario: "sse-405",
      requirement: "ping:server-to-client",
      title: "A ping in the event stream is answered with a POST to the endpoint.",
      mend: "Send { result: {} } under the id of the ping.",
      judge: (seen) => {
        const posts = postsAfterStream(seen);
        if (requestsOf(posts, "tools/list").length === 0) notObserved("the client was not asked");
        const answers = responsesOf(posts).filter(({ message }) => message.id === PING.id);
        const isRight = answers.length === 1 && isObject(answers[0]?.message.result);
        wantOf([answers[0]?.sighting], isRight, "one result", answers[0]?.message ?? "no answer");
      },
    },
    {
      id: "client-sse-no-envelope",
      scenario: "sse-405",
      requirement: "lifecycle:stateless:unpinned-legacy-wire",
      title: "Requests over HTTP+SSE carry no metadata of the modern era.",
      mend: "Leave the keys of the modern era out of _meta after a handshake.",
      judge: (seen) =>
        everyRequest(requestsOf(postsAfterStream(seen)), "no revision in _meta", (request) =>
          isModernRequest(request) ? request.meta : undefined,
        ),
    },
    {
      id: "client-sse-ids-unique",
      scenario: "sse-405",
      requirement: "protocol:request-id:unique",
      title: "No id is used for two requests over HTTP+SSE.",
      mend: "Count ids up over the life of the client.",
      judge: (seen) => {
        const requests = requestsOf(postsAfterStream(seen));
        const ids = requests.map(({ message }) => JSON.stringify(message.id));
        if (ids.length < 2) notObserved("the client sent fewer than two requests");
        const twice = requests.find((_, index) => ids.indexOf(ids[index] ?? "") !== index);
        wantOf([twice?.sighting], twice === undefined, "each id once", twice?.message.id);
      },
    },
  ],
};
