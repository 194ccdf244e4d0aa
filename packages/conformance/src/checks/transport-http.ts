/** HTTP itself, in both eras: verbs, status codes, media types, and requests that come from web pages. */
import type { ActiveCheck, CheckArea, WatchingCheck } from "../judge/check.js";
import { notApplicable, notObserved, want, wantError, wantStatus } from "../judge/expectations.js";
import type { Probe } from "../judge/probe.js";
import { type Answer, describeAnswer, errorOf } from "../target/answer.js";
import { isModern } from "../target/envelope.js";
import { mediaType } from "../wire/http-exchange.js";

const FOREIGN_ORIGIN = "https://parley-check.example";

/** A request that every server serves in this revision. */
export function plainMethod(probe: Probe): string {
  return isModern(probe.revision) ? "server/discover" : "ping";
}

const REMOVED = ["ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"];

function removedMethod(method: string): ActiveCheck {
  return {
    id: `removed-${method.replace("/", "-").toLowerCase()}`,
    requirement: method === "ping" ? "ping:not-in-modern" : "hosting:http:modern:removed-method-status-404",
    title: `${method}, which the modern era does not have, is refused with -32601.`,
    mend: `Do not serve ${method} to modern requests.`,
    async run(probe) {
      const params = { level: "info", uri: "parley-check://none" };
      wantError(await probe.ask(method, params), -32601);
    },
  };
}

async function originAnswer(probe: Probe, verb: string): Promise<Answer> {
  // A server that does not look at the origin ends the session, so it is not the one that other checks use.
  const peer = await probe.fresh();
  const headers = { Origin: FOREIGN_ORIGIN };
  if (verb === "POST") return peer.request(plainMethod(probe), {}, { headers });
  return peer.http({ verb, headers: { Accept: "text/event-stream" } }, { headers, ...glance() });
}

/** Reads the first event of a stream, or for a second. The head of the response may take as long as any answer. */
export function glance(): { readonly until: () => boolean; readonly stop: AbortSignal } {
  return { until: () => true, stop: AbortSignal.timeout(1000) };
}

/** Which origins are valid is for the server to say: one that serves pages of any origin by CORS, away from loopback, has said it. */
function wantOriginRefused(answer: Answer, probe: Probe): void {
  const allowed = answer.http?.headers["access-control-allow-origin"];
  if (!probe.isLoopback && (allowed === "*" || allowed === FOREIGN_ORIGIN)) {
    notObserved("the server allows pages of any origin by Access-Control-Allow-Origin");
  }
  want((answer.http?.status ?? 0) >= 400, "HTTP 403", describeAnswer(answer));
  if (probe.revision >= "2025-11-25") wantStatus(answer, 403);
}

/** The server took a message that has no answer, or refused it. */
function wantAccepted(answer: Answer): void {
  const status = answer.http?.status ?? 0;
  want(status === 202 || status >= 400, "HTTP 202, or an error status", describeAnswer(answer));
}

function wantNoBody(answer: Answer): void {
  if ((answer.http?.status ?? 0) >= 400) notApplicable("the server does not accept the notification");
  want(answer.http?.body === "", "an empty body", answer.http?.body ?? answer.problem);
}

function mediaTypeCheck(id: string, requirement: string): WatchingCheck {
  return {
    id,
    requirement,
    title: "Every answer to a request is application/json or text/event-stream.",
    mend: "Send Content-Type: application/json with a JSON body, and text/event-stream with events.",
    over: "http",
    watch({ http, request, problem }) {
      const isAnswered = http?.status === 200 && http.verb === "POST" && request?.id !== undefined;
      if (!isAnswered || request.method === undefined || problem !== undefined) return false;
      const type = mediaType(http.headers);
      want(["application/json", "text/event-stream"].includes(type), "JSON or an event stream", type || "no type");
      return true;
    },
  };
}

export const transportHttp: CheckArea = {
  area: "http",
  checks: [
    ...REMOVED.map(removedMethod),
    {
      id: "removed-initialize",
      requirement: "hosting:http:modern:initialize-removed",
      title: "initialize with modern metadata is refused with -32601.",
      mend: "Do not serve initialize to requests that carry modern metadata.",
      over: "http",
      async run(probe) {
        const params = {
          protocolVersion: probe.revision,
          capabilities: {},
          clientInfo: { name: "parley-check", version: "0" },
        };
        wantError(await probe.ask("initialize", params), -32601);
      },
    },
    {
      id: "unknown-method-status",
      requirement: "hosting:http:modern:removed-method-status-404",
      title: "An unknown method has HTTP status 404.",
      mend: "Send status 404 with error -32601.",
      over: "http",
      async run(probe) {
        const answer = await probe.ask("parley-check/no-such-method");
        if (errorOf(answer)?.code === -32601) wantStatus(answer, 404);
        else notApplicable("the server does not refuse an unknown method with -32601");
      },
    },
    {
      id: "notification-accepted",
      requirement: "hosting:http:modern:notification-post-202",
      title: "A posted notification is answered with 202, or refused, and never with 200.",
      mend: "Answer POSTs of notifications with status 202.",
      over: "http",
      async run(probe) {
        const peer = await probe.peer();
        wantAccepted(await peer.notify("notifications/cancelled", { requestId: "parley-check-none" }));
      },
    },
    {
      id: "notification-no-body",
      requirement: "hosting:http:modern:notification-post-202",
      title: "The answer to a posted notification has no body.",
      mend: "Send nothing after the headers of a 202.",
      over: "http",
      async run(probe) {
        const peer = await probe.peer();
        const answer = await peer.notify("notifications/cancelled", { requestId: "parley-check-none" });
        wantNoBody(answer);
      },
    },
    {
      id: "posted-response-refused",
      requirement: "hosting:http:modern:response-400",
      // The sentence binds the client: it must not post responses.
      atMost: "note",
      title: "A posted response is refused in the modern era.",
      mend: "Answer posted responses with status 400.",
      over: "http",
      async run(probe) {
        const peer = await probe.peer();
        const answer = await peer.send('{"jsonrpc":"2.0","id":"parley-check","result":{}}');
        want((answer.http?.status ?? 0) >= 400, "an HTTP error status", describeAnswer(answer));
      },
    },
    {
      id: "cancellation-accepted",
      requirement: "hosting:http:modern:posted-cancel",
      title: "A posted cancellation of an unknown request harms nobody.",
      mend: "Accept notifications/cancelled and ignore ids that are not being served.",
      over: "http",
      async run(probe) {
        const peer = await probe.peer();
        const answer = await peer.notify("notifications/cancelled", { requestId: 1 });
        want((answer.http?.status ?? 500) < 500, "no HTTP status of 500 or above", describeAnswer(answer));
      },
    },
    {
      id: "legacy-notification-accepted",
      requirement: "hosting:http:notifications-202",
      title: "A posted notification is answered with 202, or refused, in the legacy era.",
      mend: "Answer POSTs of notifications with status 202.",
      over: "http",
      async run(probe) {
        const peer = await probe.peer();
        wantAccepted(await peer.notify("notifications/cancelled", { requestId: "parley-check-none" }));
      },
    },
    {
      id: "legacy-notification-no-body",
      requirement: "hosting:http:notifications-202",
      title: "The answer to a posted notification has no body in the legacy era.",
      mend: "Send nothing after the headers of a 202.",
      over: "http",
      async run(probe) {
        const peer = await probe.peer();
        const answer = await peer.notify("notifications/roots/list_changed");
        wantNoBody(answer);
      },
    },
    {
      id: "legacy-response-accepted",
      requirement: "hosting:http:notifications-202",
      title: "A posted response is answered with 202, or refused, and never with 200.",
      mend: "Answer POSTs of responses with status 202.",
      over: "http",
      async run(probe) {
        const peer = await probe.peer();
        const answer = await peer.send('{"jsonrpc":"2.0","id":"parley-check","result":{}}');
        wantAccepted(answer);
      },
    },
    ...["POST", "GET", "DELETE"].map(
      (verb): ActiveCheck => ({
        id: `foreign-origin-${verb.toLowerCase()}`,
        requirement: "transport:streamable-http:origin-validation",
        title: `A ${verb} from a page of a foreign origin is refused, with 403 since 2025-11-25.`,
        mend: "Compare the Origin header with a list of known origins, and answer 403 to others.",
        over: "http",
        async run(probe) {
          const answer = await originAnswer(probe, verb);
          if (verb !== "POST" && answer.http?.status === 405) notApplicable(`the server does not serve ${verb}`);
          wantOriginRefused(answer, probe);
        },
      }),
    ),
    {
      id: "foreign-host",
      requirement: "hosting:http:dns-rebinding",
      title: "A request to a loopback server under a foreign host name is refused with 403.",
      mend: "Compare the Host header with loopback names while the server listens on loopback.",
      over: "http",
      async run(probe) {
        if (!probe.isLoopback) notApplicable("the server is not on a loopback address");
        const peer = await probe.peer();
        const answer = await peer.request(plainMethod(probe), {}, { headers: { Host: "parley-check.example" } });
        want((answer.http?.status ?? 0) >= 400, "HTTP 403", describeAnswer(answer));
      },
    },
    {
      id: "unknown-verb",
      requirement: "hosting:http:method-405",
      title: "An HTTP verb that the endpoint does not have is answered with 405.",
      mend: "Answer PUT and PATCH with status 405.",
      over: "http",
      async run(probe) {
        wantStatus(await (await probe.peer()).http({ verb: "PUT", body: "{}" }), 405, 501);
      },
    },
    {
      id: "wrong-content-type",
      requirement: "hosting:http:content-type-415",
      title: "A body that is not application/json is refused.",
      mend: "Answer other content types with status 415.",
      over: "http",
      async run(probe) {
        const answer = await probe.ask(plainMethod(probe), {}, { headers: { "Content-Type": "text/plain" } });
        want((answer.http?.status ?? 0) >= 400, "HTTP 415", describeAnswer(answer));
      },
    },
    {
      id: "narrow-accept",
      requirement: "hosting:http:accept-406",
      title: "A client that accepts neither JSON nor event streams is refused with 406.",
      mend: "Answer Accept headers that exclude both forms with status 406.",
      over: "http",
      async run(probe) {
        const answer = await probe.ask(plainMethod(probe), {}, { headers: { Accept: "text/html" } });
        want((answer.http?.status ?? 0) >= 400, "HTTP 406", describeAnswer(answer));
      },
    },
    {
      id: "parse-error-status",
      requirement: "hosting:http:parse-error-400",
      title: "A body that is no JSON is refused with HTTP status 400.",
      mend: "Send status 400 with error -32700.",
      over: "http",
      async run(probe) {
        wantStatus(await (await probe.peer()).send('{"jsonrpc":"2.0",'), 400);
      },
    },
    {
      id: "invalid-request-status",
      requirement: "hosting:http:invalid-request-400",
      title: "JSON that is no message is refused with HTTP status 400.",
      mend: "Send status 400 with error -32600.",
      over: "http",
      async run(probe) {
        wantStatus(await (await probe.peer()).send('{"hello":"world"}'), 400);
      },
    },
    ...(["GET", "DELETE"] as const).map(
      (verb): ActiveCheck => ({
        id: `modern-only-${verb.toLowerCase()}`,
        requirement: "hosting:http:modern:get-delete-405",
        title: `${verb} is answered with 405 where only the modern era is served.`,
        mend: `Answer ${verb} with status 405.`,
        over: "http",
        needs: ["modern-only"],
        async run(probe) {
          const peer = await probe.peer();
          wantStatus(await peer.http({ verb, headers: { Accept: "text/event-stream" } }, { until: () => true }), 405);
        },
      }),
    ),
    {
      id: "initialize-names-revisions",
      requirement: "lifecycle:matrix:legacy-client-modern-server",
      title: "A modern-only server names its revisions when it refuses initialize.",
      mend: "Name the supported revisions in the message or data of the error.",
      revisions: ["2026-07-28"],
      needs: ["modern-only"],
      async run(probe) {
        const peer = await probe.fresh({}, "2025-11-25");
        const answer = peer.opening;
        const said = JSON.stringify(answer?.response?.error ?? "");
        want(
          said.includes(probe.revision),
          `an error with ${probe.revision}`,
          answer ? describeAnswer(answer) : "nothing",
        );
      },
    },
    mediaTypeCheck("answer-media-type", "hosting:http:modern:discover-response-shape"),
    mediaTypeCheck("legacy-answer-media-type", "hosting:http:response-same-connection"),
    {
      id: "stream-ends-after-answer",
      requirement: "hosting:http:sse-close-after-response",
      title: "The stream of a request ends after its answer.",
      mend: "End the response once the answer has been written.",
      over: "http",
      watch({ http, response }) {
        if (http?.verb !== "POST" || http.events.length === 0 || response === undefined) return false;
        want(http.ending === "complete", "the end of the stream", "a stream that stays open");
        return true;
      },
    },
    {
      id: "stream-not-buffered",
      requirement: "hosting:http:modern:buffering",
      title: "Event streams tell proxies not to buffer.",
      mend: "Send X-Accel-Buffering: no with each event stream.",
      over: "http",
      watch({ http }) {
        if (!http || mediaType(http.headers) !== "text/event-stream") return false;
        want(http.headers["x-accel-buffering"] === "no", "X-Accel-Buffering: no", http.headers["x-accel-buffering"]);
        return true;
      },
    },
    {
      id: "no-requests-on-streams",
      requirement: "mrtr:push-api:loud-fail",
      title: "No modern response stream carries a request of the server.",
      mend: "Ask the client through an input_required result.",
      watch(answer) {
        if (answer.response === undefined) return false;
        const request = answer.messages.find((message) => isRequestMessage(message));
        want(request === undefined, "no request of the server", request);
        return true;
      },
    },
  ],
};

function isRequestMessage(message: unknown): boolean {
  return typeof message === "object" && message !== null && "method" in message && "id" in message;
}
