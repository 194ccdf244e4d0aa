/** HTTP+SSE, the transport of 2024-11-05: its stream, the endpoint that the stream names, and the messages that are posted there. */
import type { ActiveCheck, CheckArea } from "../judge/check.js";
import { notApplicable, notObserved, want } from "../judge/expectations.js";
import type { Probe } from "../judge/probe.js";
import { type Answer, describeAnswer } from "../target/answer.js";
import type { StreamEvent } from "../wire/event-stream.js";
import { isObject, isResponse, messagesOf, parseJson } from "../wire/json-rpc.js";

const FOREIGN_ORIGIN = "https://parley-check.example";
const REVISIONS = ["2024-11-05"] as const;
const PING = '{"jsonrpc":"2.0","id":"parley-check","method":"ping"}';

/** A new stream, read until its first event. */
async function newStream(probe: Probe, headers: Record<string, string> = {}): Promise<Answer> {
  const peer = await probe.peer();
  return peer.http({ verb: "GET", headers: { Accept: "text/event-stream", ...headers } }, { timeoutMs: 1000 });
}

async function endpointOf(probe: Probe): Promise<string> {
  const stream = await newStream(probe);
  const event = stream.http?.events.find((item: StreamEvent) => item.event === "endpoint");
  if (!event) notObserved("the stream has no endpoint event");
  return event.data;
}

async function post(probe: Probe, headers: Record<string, string>, path?: string): Promise<Answer> {
  const peer = await probe.peer();
  const place = path === undefined ? {} : { path };
  // The endpoint of the conversation takes the place of a path that is not given.
  return peer.http({ verb: "POST", body: PING, headers: { "Content-Type": "application/json", ...headers }, ...place });
}

function wantRefused(answer: Answer): void {
  want((answer.http?.status ?? 0) >= 400, "an HTTP error status", describeAnswer(answer));
}

function foreignOrigin(verb: "GET" | "POST"): ActiveCheck {
  return {
    id: `sse-foreign-origin-${verb.toLowerCase()}`,
    requirement: "transport:streamable-http:origin-validation",
    title: `A ${verb} from a page of a foreign origin is refused over HTTP+SSE.`,
    mend: "Compare the Origin header with a list of known origins at both endpoints, and answer 403 to others.",
    over: "sse",
    revisions: REVISIONS,
    async run(probe) {
      const headers = { Origin: FOREIGN_ORIGIN };
      wantRefused(await (verb === "GET" ? newStream(probe, headers) : post(probe, headers)));
    },
  };
}

export const httpSse: CheckArea = {
  area: "http-sse",
  checks: [
    {
      id: "sse-endpoint-first",
      requirement: "transport:sse:endpoint-event",
      title: "The first event of a stream is an endpoint event with a URI.",
      mend: "Send an endpoint event as soon as a client has opened the stream.",
      over: "sse",
      revisions: REVISIONS,
      async run(probe) {
        const stream = await newStream(probe);
        const first = stream.http?.events[0];
        const isEndpoint = first?.event === "endpoint" && URL.canParse(first.data, probe.targetName);
        want(isEndpoint, "an endpoint event with a URI", first);
      },
    },
    {
      id: "sse-endpoint-origin",
      requirement: "transport:sse:endpoint-event",
      atMost: "warning",
      title: "The endpoint is at the origin of the stream.",
      mend: "Send the path of the endpoint, or a URI at the origin that clients connect to.",
      over: "sse",
      revisions: REVISIONS,
      async run(probe) {
        const endpoint = new URL(await endpointOf(probe), probe.targetName);
        const { origin } = new URL(probe.targetName);
        want(endpoint.origin === origin, `a URI at ${origin}`, endpoint.origin);
      },
    },
    {
      id: "sse-sessions-apart",
      requirement: "transport:sse:post:session-routing",
      title: "An answer goes to the stream whose endpoint the request was posted to, and to no other.",
      mend: "Name the session in the URI of the endpoint, and send answers to the stream of that session.",
      over: "sse",
      revisions: REVISIONS,
      async run(probe) {
        const [one, other] = [await probe.fresh(), await probe.fresh()];
        await one.request("ping", {}, { id: "parley-check-apart" });
        const { messages } = await other.request("ping");
        const stray = messages.find((message) => isObject(message) && message.id === "parley-check-apart");
        want(stray === undefined, "answers to its own requests alone", stray);
      },
    },
    {
      id: "sse-unknown-session",
      requirement: "transport:sse:post:session-routing",
      title: "A message that is posted to a session that does not exist is refused.",
      mend: "Answer an unknown session in the URI of the endpoint with status 404.",
      over: "sse",
      revisions: REVISIONS,
      async run(probe) {
        const { pathname, search } = new URL(await endpointOf(probe), probe.targetName);
        const named = /[\w-]{8,}(?=\W*$)/;
        if (!named.test(search)) notObserved("no session was recognized in the query of the endpoint");
        wantRefused(await post(probe, {}, pathname + search.replace(named, "parley-check-none")));
      },
    },
    foreignOrigin("GET"),
    foreignOrigin("POST"),
    {
      id: "sse-foreign-host",
      requirement: "hosting:http:dns-rebinding",
      title: "A loopback server opens no stream under a foreign host name.",
      mend: "Compare the Host header with loopback names while the server listens on loopback.",
      over: "sse",
      revisions: REVISIONS,
      async run(probe) {
        if (!probe.isLoopback) notApplicable("the server is not on a loopback address");
        wantRefused(await newStream(probe, { Host: "parley-check.example" }));
      },
    },
    {
      id: "sse-post-accepted",
      requirement: "transport:sse",
      title: "A posted message that is served has a status of 2xx.",
      mend: "Answer the POST of a message with status 202.",
      over: "sse",
      revisions: REVISIONS,
      watch({ http, response }) {
        if (http?.verb !== "POST" || response === undefined || http.events.length === 0) return false;
        want(http.status >= 200 && http.status < 300, "a status of 2xx", `HTTP ${http.status}`);
        return true;
      },
    },
    {
      id: "sse-answers-on-stream",
      requirement: "transport:sse",
      title: "The response to a posted message does not hold the answer.",
      mend: "Send answers as events of the stream, and nothing in the body of the response to the POST.",
      over: "sse",
      revisions: REVISIONS,
      watch({ http }) {
        if (http?.verb !== "POST" || http.status >= 300) return false;
        const stray = messagesOf(parseJson(http.body)).find(isResponse);
        want(stray === undefined, "the answer on the stream", stray);
        return true;
      },
    },
    {
      id: "sse-message-events",
      requirement: "transport:sse",
      title: "Messages of the server are events of the type message.",
      mend: "Send each message with `event: message`, or without an event line.",
      over: "sse",
      revisions: REVISIONS,
      watch({ http }) {
        const messages = (http?.events ?? []).filter(({ data }) => messagesOf(parseJson(data)).some(isObject));
        if (messages.length === 0) return false;
        const stray = messages.find(({ event }) => event !== "message");
        want(stray === undefined, "message", stray?.event);
        return true;
      },
    },
  ],
};
