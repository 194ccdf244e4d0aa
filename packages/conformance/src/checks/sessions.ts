/** Sessions of the legacy era over HTTP, and the streams that belong to them. */
import type { ActiveCheck, CheckArea } from "../judge/check.js";
import { notApplicable, notObserved, repeatedIn, want, wantResult, wantStatus } from "../judge/expectations.js";
import type { Probe } from "../judge/probe.js";
import { type Answer, describeAnswer, resultOf } from "../target/answer.js";
import type { Peer } from "../target/target.js";
import type { StreamEvent } from "../wire/event-stream.js";
import { mediaType } from "../wire/http-exchange.js";
import { isObject, isResponse, parseJson } from "../wire/json-rpc.js";
import { glance } from "./transport-http.js";

const NO_SESSION = "parley-check-no-such-session";

function knock(peer: Peer, verb: string, session: string | undefined): Promise<Answer> {
  const headers = { "Mcp-Session-Id": session };
  if (verb === "POST") return peer.request("ping", {}, { headers });
  return peer.http({ verb, headers: { Accept: "text/event-stream" } }, { headers, ...glance() });
}

function unknownSession(verb: string): ActiveCheck {
  return {
    id: `session-unknown-${verb.toLowerCase()}`,
    requirement: "hosting:session:unknown-id",
    // The MUST is about sessions that the server has ended. A server that forgets ids cannot tell the two apart.
    atMost: "warning",
    title: `A ${verb} with an unknown session id is answered with 404.`,
    mend: "Answer session ids that the server does not know with status 404.",
    over: "http",
    needs: ["session"],
    async run(probe) {
      const answer = await knock(await probe.peer(), verb, NO_SESSION);
      if (verb !== "POST" && answer.http?.status === 405) notApplicable(`the server does not serve ${verb}`);
      wantStatus(answer, 404);
    },
  };
}

/** Ends a session of its own. Not applicable if clients may not end sessions. */
async function endedSession(probe: Probe): Promise<{ peer: Peer; ended: Answer }> {
  const peer = await probe.fresh();
  const ended = await peer.http({ verb: "DELETE" });
  if (ended.http?.status === 405) notApplicable("the server does not let clients end sessions");
  return { peer, ended };
}

function isSuccess({ http }: Answer): boolean {
  return http !== undefined && http.status >= 200 && http.status < 300;
}

/** Opens the standalone stream for as long as some work takes. */
async function whileListening(peer: Peer, work: () => Promise<void>): Promise<Answer> {
  const stop = new AbortController();
  const listening = peer.http(
    { verb: "GET", headers: { Accept: "text/event-stream" } },
    { until: () => false, stop: stop.signal },
  );
  await work();
  stop.abort();
  return listening;
}

/** The id of an event after which the answer is yet to come. */
function earlyId(events: readonly StreamEvent[]): string | undefined {
  const end = events.findIndex(({ data }) => isResponse(parseJson(data)));
  return events.slice(0, end < 0 ? 0 : end).find(({ id }) => id !== undefined)?.id;
}

function haveIds(events: readonly StreamEvent[]): boolean {
  return events.some(({ id }) => id !== undefined);
}

/** An answer that came as a stream whose events have ids. */
async function streamedCall(probe: Probe, peer: Peer, isWanted = haveIds): Promise<Answer> {
  for (const { name, arguments: args } of probe.offer.calls) {
    const params = { name, arguments: args, _meta: { progressToken: "parley-check-stream" } };
    const answer = await peer.request("tools/call", params);
    if (isWanted(answer.http?.events ?? [])) return answer;
  }
  return notObserved("no allowed call is answered with events that have ids");
}

export const sessions: CheckArea = {
  area: "sessions",
  checks: [
    {
      id: "session-id-characters",
      requirement: "hosting:session:id-charset",
      title: "The session id is made of visible ASCII characters.",
      mend: "Use characters from 0x21 to 0x7E only.",
      over: "http",
      needs: ["session"],
      async run(probe) {
        const id = probe.offer.sessionId ?? "";
        want(/^[\x21-\x7e]+$/.test(id), "visible ASCII", id);
      },
    },
    {
      id: "session-id-length",
      requirement: "hosting:session:id-charset",
      atMost: "warning",
      title: "The session id is long enough not to be guessed.",
      mend: "Use at least 16 characters from a secure random source.",
      over: "http",
      needs: ["session"],
      async run(probe) {
        const { length } = probe.offer.sessionId ?? "";
        want(length >= 16, "16 characters or more", `${length} characters`);
      },
    },
    {
      id: "session-id-fresh",
      requirement: "hosting:session:id-charset",
      atMost: "warning",
      title: "Every handshake opens a session of its own.",
      mend: "Make a new session id for each initialize.",
      over: "http",
      needs: ["session"],
      async run(probe) {
        const [one, two] = [await probe.fresh(), await probe.fresh()];
        want(one.sessionId !== two.sessionId, "two session ids", "the same id twice");
      },
    },
    {
      id: "session-required",
      requirement: "hosting:session:missing-id",
      title: "A request without a session id is answered with 400.",
      mend: "Answer requests other than initialize that lack Mcp-Session-Id with status 400.",
      over: "http",
      needs: ["session"],
      async run(probe) {
        wantStatus(await knock(await probe.peer(), "POST", undefined), 400);
      },
    },
    {
      id: "session-kept",
      requirement: "hosting:session:reuse",
      title: "A request with the session id is served.",
      mend: "Keep a session until it is ended.",
      over: "http",
      needs: ["session"],
      async run(probe) {
        const peer = await probe.fresh();
        wantResult(await peer.request("ping"));
      },
    },
    ...["POST", "GET", "DELETE"].map(unknownSession),
    {
      id: "session-delete",
      requirement: "hosting:session:delete",
      title: "DELETE ends the session, or is answered with 405.",
      mend: "Answer DELETE with a status of 2xx, or with 405 if clients may not end sessions.",
      over: "http",
      needs: ["session"],
      async run(probe) {
        const { ended } = await endedSession(probe);
        want(isSuccess(ended), "a status of 2xx, or 405", describeAnswer(ended));
      },
    },
    {
      id: "session-ended",
      requirement: "hosting:session:post-termination-404",
      title: "A request in a session that has been ended is answered with 404.",
      mend: "Forget a session when it is deleted, and answer its id with status 404.",
      over: "http",
      needs: ["session"],
      async run(probe) {
        const { peer, ended } = await endedSession(probe);
        if (!isSuccess(ended)) notApplicable("the server did not end the session");
        wantStatus(await peer.request("ping"), 404);
      },
    },
    {
      id: "version-header-unknown",
      requirement: "hosting:http:protocol-version-400",
      title: "An MCP-Protocol-Version that the server does not speak is answered with 400.",
      mend: "Answer unknown versions in the header with status 400.",
      over: "http",
      since: "2025-06-18",
      async run(probe) {
        wantStatus(await probe.ask("ping", {}, { headers: { "MCP-Protocol-Version": "1999-01-01" } }), 400);
      },
    },
    {
      id: "version-header-absent",
      requirement: "hosting:http:protocol-version-default",
      title: "A request of a session without MCP-Protocol-Version is served.",
      mend: "Take the version from the session, or 2025-03-26, if the header is missing.",
      over: "http",
      since: "2025-06-18",
      async run(probe) {
        // Without the header a request is one of 2025-03-26, which the server then has to refuse if it does not speak it.
        if (!probe.offer.claimed.includes("2025-03-26")) notApplicable("the server does not speak 2025-03-26");
        wantResult(await probe.ask("ping", {}, { headers: { "MCP-Protocol-Version": undefined } }));
      },
    },
    {
      id: "stream-get",
      requirement: "hosting:http:standalone-sse",
      title: "GET is answered with an event stream or with 405.",
      mend: "Answer GET with Content-Type: text/event-stream, or with status 405.",
      over: "http",
      async run(probe) {
        const peer = await probe.fresh();
        const answer = await whileListening(peer, async () => void (await peer.request("ping")));
        // Some servers send the head of a stream with its first event.
        if (answer.http === undefined) notObserved("GET was not answered in time");
        const isStream = answer.http?.status === 200 && mediaType(answer.http.headers) === "text/event-stream";
        want(isStream || answer.http?.status === 405, "an event stream or HTTP 405", describeAnswer(answer));
      },
    },
    {
      id: "stream-get-accept",
      requirement: "hosting:http:standalone-sse",
      title: "GET from a client that takes no stream is refused.",
      mend: "Answer GET without text/event-stream in Accept with status 406, or with 405.",
      over: "http",
      async run(probe) {
        const peer = await probe.fresh();
        const answer = await peer.http({ verb: "GET", headers: { Accept: "application/json" } }, glance());
        want((answer.http?.status ?? 0) >= 400, "HTTP 406 or 405", describeAnswer(answer));
      },
    },
    {
      id: "stream-get-no-answers",
      requirement: "hosting:http:standalone-sse-no-response",
      title: "The standalone stream carries no answers.",
      mend: "Send each answer on the response of its own request.",
      over: "http",
      async run(probe) {
        const peer = await probe.fresh();
        const stream = await whileListening(
          peer,
          async () => void (await peer.request("ping", {}, { timeoutMs: 1000 })),
        );
        if (stream.http?.status === 405) notApplicable("the server has no standalone stream");
        const stray = stream.messages.find(isResponse);
        want(stray === undefined, "no answer on the stream", stray);
      },
    },
    {
      id: "answers-on-own-response",
      requirement: "hosting:http:response-same-connection",
      title: "Requests that are made at once are each answered on their own response.",
      mend: "Send each answer on the response of its own request.",
      over: "http",
      async run(probe) {
        const ids = ["parley-check-a", "parley-check-b", "parley-check-c"];
        const answers = await Promise.all(ids.map((id) => probe.ask("ping", {}, { id })));
        const got = answers.map(({ response }) => response?.id);
        want(got.join() === ids.join(), ids.join(", "), got);
      },
    },
    {
      id: "event-ids-unique",
      requirement: "hosting:resume:event-ids",
      title: "No two events of a session have the same id.",
      mend: "Count event ids over all streams of a session.",
      over: "http",
      needs: ["a-call"],
      async run(probe) {
        const peer = await probe.fresh();
        const answers = [await streamedCall(probe, peer), await streamedCall(probe, peer)];
        const ids = answers
          .flatMap(({ http }) => http?.events.map(({ id }) => id) ?? [])
          .filter((id) => id !== undefined);
        const twice = repeatedIn(ids);
        want(twice === undefined, "each id once", twice);
      },
    },
    {
      id: "event-ids-primed",
      requirement: "hosting:resume:priming",
      title: "A resumable stream begins with an event that has an id and no data.",
      mend: "Begin each stream with an empty event that has an id.",
      over: "http",
      since: "2025-11-25",
      needs: ["a-call"],
      async run(probe) {
        const { http } = await streamedCall(probe, await probe.fresh());
        const first = http?.events[0];
        want(first?.data === "" && first.id !== undefined, "an id without data", first);
      },
    },
    {
      id: "event-ids-not-before",
      requirement: "hosting:resume:priming",
      title: "Before 2025-11-25 no event without data is sent.",
      mend: "Send empty events to clients of 2025-11-25 only: older ones parse them as messages.",
      over: "http",
      until: "2025-06-18",
      needs: ["a-call"],
      async run(probe) {
        const { http } = await streamedCall(probe, await probe.fresh());
        const empty = http?.events.find(({ data }) => data === "");
        want(empty === undefined, "events with data", empty);
      },
    },
    {
      id: "resume-replays",
      requirement: "hosting:resume:replay",
      title: "A GET with the id of an event gets the events that came after it.",
      mend: "Keep the events of a stream, and replay those after Last-Event-ID.",
      over: "http",
      needs: ["a-call"],
      async run(probe) {
        const { answer, resumed } = await resumeFirst(probe);
        want(
          resumed.messages.some((message) => isSame(message, answer.response)),
          "the answer of the call again",
          describeAnswer(resumed),
        );
      },
    },
    {
      id: "resume-own-stream",
      requirement: "hosting:resume:stream-scoped",
      title: "A resumed stream replays no events of other streams.",
      mend: "Replay only events of the stream that the id belongs to.",
      over: "http",
      needs: ["a-call"],
      async run(probe) {
        const { other, resumed } = await resumeFirst(probe);
        const stray = resumed.messages.find((message) => isSame(message, other.response));
        want(stray === undefined, "events of one stream", stray);
      },
    },
    {
      id: "session-only-on-initialize",
      requirement: "hosting:session:create",
      title: "No response but that to initialize hands out another session id.",
      mend: "Send Mcp-Session-Id with the response to initialize.",
      over: "http",
      watch(answer) {
        const given = answer.http?.headers["mcp-session-id"];
        if (!answer.http || resultOf(answer) === undefined || answer.request?.method === "initialize") return false;
        const sent = /^mcp-session-id: (.*)$/im.exec(answer.sent)?.[1];
        want(given === undefined || given === sent, "no other session id", given);
        return true;
      },
    },
  ],
};

/** Two streamed calls, and the first of them resumed from its first event. */
async function resumeFirst(probe: Probe): Promise<{ answer: Answer; other: Answer; resumed: Answer }> {
  const peer = await probe.fresh();
  const answer = await streamedCall(probe, peer, (events) => earlyId(events) !== undefined);
  const other = await streamedCall(probe, peer, (events) => earlyId(events) !== undefined);
  const first = earlyId(answer.http?.events ?? []);
  const isEnough = (message: unknown) => isSame(message, answer.response);
  const resumed = await peer.http(
    { verb: "GET", headers: { Accept: "text/event-stream", "Last-Event-ID": first ?? "" } },
    { until: isEnough, timeoutMs: 1000 },
  );
  if ((resumed.http?.status ?? 0) >= 400) notApplicable("the server does not resume streams");
  return { answer, other, resumed };
}

function isSame(message: unknown, response: unknown): boolean {
  return isResponse(message) && isObject(response) && message.id === response.id;
}
