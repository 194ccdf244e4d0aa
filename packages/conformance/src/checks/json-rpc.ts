/** JSON-RPC itself: ids, errors, notifications, batches and text that is no message. */
import type { ActiveCheck, CheckArea } from "../judge/check.js";
import {
  ExpectationFailed,
  notApplicable,
  want,
  wantRefusal,
  wantRefusedAs,
  wantResult,
} from "../judge/expectations.js";
import type { Probe } from "../judge/probe.js";
import { type Answer, describeAnswer, errorOf } from "../target/answer.js";
import { isModern, withMeta } from "../target/envelope.js";
import type { Peer } from "../target/target.js";
import { isNotification, isObject, isResponse, type JsonObject } from "../wire/json-rpc.js";
import { plainMethod } from "./transport-http.js";

const IDS: readonly { readonly id: string; readonly value: unknown; readonly what: string }[] = [
  { id: "id-string", value: "parley-check-text", what: "a string" },
  { id: "id-number", value: 90_210, what: "a number" },
  { id: "id-zero", value: 0, what: "0" },
  { id: "id-negative", value: -1, what: "a negative number" },
  { id: "id-empty", value: "", what: "an empty string" },
  { id: "id-digits", value: "007", what: "a string of digits" },
];

function idCheck({ id, value, what }: (typeof IDS)[number]): ActiveCheck {
  const isUsual = id === "id-string" || id === "id-number" || id === "id-digits";
  return {
    id,
    requirement: isUsual ? "protocol:request-id:verbatim" : "protocol:request-id:unusual",
    title: `The answer to a request whose id is ${what} repeats it unchanged.`,
    mend: "Copy the id of the request, with its type, into the answer.",
    async run(probe) {
      const answer = await probe.ask(plainMethod(probe), {}, { id: value });
      const given = answer.response ?? answer.messages.find(isResponse);
      want(given !== undefined && given.id === value, JSON.stringify(value), given ? given.id : describeAnswer(answer));
    },
  };
}

interface NoMessage {
  readonly id: string;
  readonly text: string;
  readonly what: string;
}

const NO_MESSAGES: readonly NoMessage[] = [
  { id: "frame-object", text: '{"hello":"world"}', what: "An object that is no message" },
  { id: "frame-scalar", text: '"hello"', what: "A string" },
  { id: "frame-without-version", text: '{"id":"parley-check","method":"ping"}', what: "A request without jsonrpc" },
];

/** How long an answer to something unreadable is waited for: a server may have none. */
const UNREADABLE_MS = 2000;

/** How long it is waited for over pipes once two later requests were answered, one after the other. */
const OVERTAKEN_MS = 100;

const FENCES = ["parley-check-fence-1", "parley-check-fence-2"];

/** Sends text that may get no answer. Over pipes requests follow it, whose answers show that the text was read. */
async function sendUnreadable(
  probe: Probe,
  peer: Peer,
  text: string,
  until: (message: unknown) => boolean = isResponse,
): Promise<Answer> {
  if (probe.kind === "http") return peer.send(text, { until, timeoutMs: UNREADABLE_MS });
  const isFence = (message: unknown) => isObject(message) && FENCES.includes(String(message.id));
  const isEnough = (message: unknown) => until(message) && !isFence(message);
  const overtaken = new AbortController();
  const sent = peer.send(text, { until: isEnough, timeoutMs: UNREADABLE_MS, stop: overtaken.signal });
  const passed = overtake(probe, peer).then((isRead) => {
    if (isRead) setTimeout(() => overtaken.abort(), OVERTAKEN_MS).unref();
  });
  const answer = await sent;
  // An answer that nobody waits for would be heard by the next check.
  await passed;
  return { ...answer, messages: answer.messages.filter((message) => !isFence(message)) };
}

/** Whether requests after a text are answered. */
async function overtake(probe: Probe, peer: Peer): Promise<boolean> {
  for (const id of FENCES) {
    const { response } = await peer.request(plainMethod(probe), {}, { id, timeoutMs: UNREADABLE_MS });
    if (!response) return false;
  }
  return true;
}

/** Over pipes the only answer is an error without an id, which the schema has since 2025-11-25. */
function assertAnswerable(probe: Probe): void {
  const hasIdlessErrors = probe.kind === "http" || probe.revision >= "2025-11-25";
  if (!hasIdlessErrors) notApplicable("before 2025-11-25 an error has an id, so there is no answer to this");
}

/** Over pipes silence is a warning: JSON-RPC asks for an answer to calls, and this is none. */
function wantUnreadableRefused(answer: Answer, code: number): void {
  // The error to a message that could not be read has no id.
  const answered = { ...answer, response: answer.messages.find(isResponse) };
  if (answered.http === undefined && answered.response === undefined) {
    throw new ExpectationFailed(`error ${code}`, describeAnswer(answer), "warning");
  }
  wantRefusedAs(answered, code);
}

function noMessage({ id, text, what }: NoMessage): ActiveCheck {
  return {
    id,
    requirement: "protocol:frame:not-a-message",
    title: `${what} is refused with -32600.`,
    mend: "Check that a message has jsonrpc 2.0 and a method, a result or an error.",
    async run(probe) {
      assertAnswerable(probe);
      const peer = await probe.scratch();
      wantUnreadableRefused(await sendUnreadable(probe, peer, text), -32600);
    },
  };
}

/** Sends a batch, and waits for the answer that carries this id, or for an error without one. */
async function sendBatch(probe: Probe, batch: readonly unknown[], id: unknown): Promise<Answer> {
  const peer = await probe.scratch();
  const isEnough = (message: unknown) =>
    isResponse(message) && (message.id === id || message.id === undefined || message.id === null);
  return sendUnreadable(probe, peer, JSON.stringify(batch), isEnough);
}

function request(probe: Probe, id: string): JsonObject {
  return { jsonrpc: "2.0", id, method: plainMethod(probe), params: withMeta(probe.revision, {}, {}) };
}

export const jsonRpc: CheckArea = {
  area: "json-rpc",
  checks: [
    ...IDS.map(idCheck),
    ...NO_MESSAGES.map(noMessage),
    {
      id: "id-null",
      requirement: "protocol:request-id:refused",
      atMost: "warning",
      title: "A request whose id is null is not served.",
      mend: "Refuse ids that are neither strings nor integers with -32600.",
      async run(probe) {
        const peer = await probe.scratch();
        const text = JSON.stringify({ ...request(probe, ""), id: null });
        const answer = await sendUnreadable(probe, peer, text);
        const [response] = answer.messages.filter(isResponse);
        want(response?.result === undefined, "no result", describeAnswer(answer));
      },
    },
    {
      id: "frame-unparsable",
      requirement: "protocol:frame:unparsable",
      title: "Text that is no JSON is answered with -32700.",
      mend: "Answer text that does not parse with error -32700.",
      async run(probe) {
        assertAnswerable(probe);
        const peer = await probe.scratch();
        wantUnreadableRefused(await sendUnreadable(probe, peer, '{"jsonrpc":"2.0",'), -32700);
      },
    },
    {
      id: "frame-goes-on",
      requirement: "protocol:frame:unparsable",
      atMost: "warning",
      title: "After text that is no JSON the next request is served.",
      mend: "Keep the connection open after a parse error.",
      async run(probe) {
        const peer = await probe.scratch();
        await sendUnreadable(probe, peer, "}{");
        wantResult(await peer.request(plainMethod(probe)));
      },
    },
    {
      id: "method-unknown",
      requirement: "protocol:error:method-not-found",
      title: "An unknown method is answered with -32601.",
      mend: "Answer methods without a handler with error -32601.",
      async run(probe) {
        wantRefusedAs(await probe.ask("parley-check/no-such-method"), -32601);
      },
    },
    {
      id: "params-list",
      requirement: "protocol:error:invalid-params",
      atMost: "warning",
      title: "Params that are a list are refused.",
      mend: "Check that params is an object: error -32602.",
      until: "2025-11-25",
      needs: ["tools"],
      async run(probe) {
        const peer = await probe.peer();
        const text = JSON.stringify({
          jsonrpc: "2.0",
          id: "parley-check-list",
          method: "tools/list",
          params: ["parley-check"],
        });
        wantRefusal(await sendUnreadable(probe, peer, text));
      },
    },
    ...[
      { id: "notification-unknown", method: "notifications/parley-check", what: "An unknown notification" },
      { id: "notification-cancelled", method: "notifications/cancelled", what: "A cancellation without an id" },
    ].map(
      ({ id, method, what }): ActiveCheck => ({
        id,
        requirement: "protocol:notifications:no-response",
        title: `${what} is not answered.`,
        mend: "Send nothing in answer to a message without an id.",
        async run(probe) {
          const peer = await probe.peer();
          const told = await peer.notify(method);
          const fence = await peer.request(plainMethod(probe));
          const answers = [...told.messages, ...fence.messages]
            .filter(isResponse)
            .filter((message) => message !== fence.response);
          // Over HTTP a refused notification may have an error as its body.
          const isRefused = (told.http?.status ?? 0) >= 400;
          want(isRefused || answers.length === 0, "no answer", answers[0]);
        },
      }),
    ),
    {
      id: "cancel-unknown",
      requirement: "protocol:cancel:unknown-id-ignored",
      title: "A cancellation of an unknown request is ignored.",
      mend: "Ignore cancellations of requests that are not being served.",
      async run(probe) {
        const peer = await probe.peer();
        await peer.notify("notifications/cancelled", { requestId: "parley-check-unknown" });
        wantResult(await peer.request(plainMethod(probe)));
      },
    },
    {
      id: "cancel-answered",
      requirement: "protocol:cancel:session-survives",
      title: "A cancellation of an answered request leaves the connection working.",
      mend: "Ignore cancellations of requests that have been answered.",
      async run(probe) {
        const peer = await probe.peer();
        await peer.request(plainMethod(probe), {}, { id: "parley-check-done" });
        await peer.notify("notifications/cancelled", { requestId: "parley-check-done" });
        wantResult(await peer.request(plainMethod(probe)));
      },
    },
    {
      id: "batch-answered",
      requirement: "protocol:batch:receive",
      title: "A batch is answered with one array of answers.",
      mend: "Answer a batch with an array that has an answer per request and none per notification.",
      async run(probe) {
        const told = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "none" } };
        const answer = await sendBatch(probe, [request(probe, "one"), told, request(probe, "two")], "two");
        const ids = answer.messages.filter(isResponse).map(({ id }) => id);
        want(ids.toSorted().join() === "one,two", "answers to one and two", ids);
      },
    },
    {
      id: "batch-empty",
      requirement: "protocol:batch:empty",
      title: "An empty batch is refused with -32600.",
      mend: "Answer [] with a single error -32600.",
      async run(probe) {
        assertAnswerable(probe);
        wantUnreadableRefused(await sendBatch(probe, [], undefined), -32600);
      },
    },
    {
      id: "batch-members",
      requirement: "protocol:batch:invalid-members",
      // The examples of JSON-RPC show these answers. No sentence asks for them.
      atMost: "warning",
      title: "A member of a batch that is no message gets its own -32600.",
      mend: "Answer each invalid member with -32600, and serve the others.",
      over: "http",
      async run(probe) {
        const answer = await sendBatch(probe, [request(probe, "good"), 1], "good");
        const codes = answer.messages.filter(isResponse).map(({ error }) => (isObject(error) ? error.code : "result"));
        want(codes.includes(-32600) && codes.includes("result"), "a result and -32600", codes);
      },
    },
    {
      id: "batch-initialize",
      requirement: "protocol:batch:no-initialize",
      // The sentence binds the client.
      atMost: "note",
      title: "An initialize inside a batch opens no session.",
      mend: "Answer initialize in a batch with -32600.",
      over: "http",
      async run(probe) {
        const opening = {
          jsonrpc: "2.0",
          id: "opening",
          method: "initialize",
          params: {
            protocolVersion: probe.revision,
            capabilities: {},
            clientInfo: { name: "parley-check", version: "0" },
          },
        };
        const answer = await sendBatch(probe, [opening], "opening");
        const [served] = answer.messages.filter(isResponse).filter((message) => "result" in message);
        want(served === undefined, "no result", served);
      },
    },
    {
      id: "batch-gone",
      requirement: "protocol:batch:no-more",
      title: "A batch is refused where the revision has none.",
      mend: "Answer arrays with -32600 from 2025-06-18 on.",
      async run(probe) {
        const answer = await sendBatch(probe, [request(probe, "one")], "one");
        const served = answer.messages.filter(isResponse).find((message) => "result" in message);
        want(served === undefined, "error -32600", served);
        const isRefused = answer.messages.length > 0 || (answer.http?.status ?? 0) >= 400;
        want(isRefused, "error -32600", describeAnswer(answer));
      },
    },
    {
      id: "batch-gone-status",
      requirement: "hosting:http:modern:response-400",
      atMost: "warning",
      title: "A batch is refused with an HTTP error status.",
      mend: "Send status 400 in answer to arrays.",
      over: "http",
      async run(probe) {
        const answer = await sendBatch(probe, [request(probe, "one")], "one");
        if (answer.messages.some((message) => isResponse(message) && "result" in message))
          notApplicable("the server serves batches");
        want((answer.http?.status ?? 0) >= 400, "HTTP 400", describeAnswer(answer));
      },
    },
    {
      id: "answers-are-json-rpc",
      requirement: "protocol:frame:answers",
      title: 'Every message of the server says jsonrpc "2.0".',
      mend: 'Add "jsonrpc": "2.0" to every message.',
      watch({ messages, http }) {
        // The body of a 202 is the finding of the checks of notifications.
        if (http?.status === 202 && http.events.length === 0) return false;
        const odd = messages.find((message) => !isObject(message) || message.jsonrpc !== "2.0");
        want(odd === undefined, 'messages with jsonrpc "2.0"', odd);
        return messages.length > 0;
      },
    },
    {
      id: "answers-one-outcome",
      requirement: "protocol:frame:answers",
      title: "Every answer has either a result or an error.",
      mend: "Send result or error, never both.",
      watch({ messages }) {
        const responses = messages.filter(isResponse);
        const odd = responses.find((message) => "result" in message && "error" in message);
        want(odd === undefined, "a result or an error", odd);
        return responses.length > 0;
      },
    },
    {
      id: "answers-result-object",
      requirement: "protocol:frame:answers",
      title: "Every result is an object.",
      mend: "Return an object from each method, an empty one if there is nothing to say.",
      watch({ messages }) {
        const responses = messages.filter(isResponse).filter((message) => "result" in message);
        const odd = responses.find(({ result }) => !isObject(result));
        want(odd === undefined, "an object as result", odd);
        return responses.length > 0;
      },
    },
    {
      id: "error-code-integer",
      requirement: "protocol:frame:answers",
      title: "Every error has a whole number as its code.",
      mend: "Send error.code as an integer.",
      watch(answer) {
        const error = errorOf(answer);
        if (!error) return false;
        want(Number.isInteger(error.code), "an integer", error.code);
        return true;
      },
    },
    {
      id: "error-message-text",
      requirement: "protocol:frame:answers",
      title: "Every error has text as its message.",
      mend: "Send error.message as a string.",
      watch(answer) {
        const error = errorOf(answer);
        if (!error) return false;
        want(typeof error.message === "string", "a string", error.message);
        return true;
      },
    },
    {
      id: "error-codes-reserved",
      requirement: "errors:reserved-codes:modern",
      title: "No modern error has a code that the specification keeps for itself.",
      mend: "Use -32020, -32021 and -32022 with their meaning, and none of the others from -32099 to -32020.",
      watch(answer) {
        const code = errorOf(answer)?.code;
        if (typeof code !== "number") return false;
        const isReserved = code >= -32099 && code <= -32020 && ![-32020, -32021, -32022].includes(code);
        want(!isReserved && code !== -32002 && code !== -32042, "a code that the revision defines", code);
        return true;
      },
    },
    {
      id: "error-id-echoed",
      requirement: "protocol:request-id:verbatim",
      title: "Every error to a readable request repeats its id.",
      mend: "Copy the id of the request into the error.",
      over: "http",
      watch(answer, probe) {
        const id = answer.request?.id;
        if (!errorOf(answer) || answer.request?.jsonrpc !== "2.0" || answer.request.method === undefined) return false;
        if (typeof id !== "string" && !Number.isInteger(id)) return false;
        // Refusals of the legacy transport may be errors without an id.
        const statuses = isModern(probe.revision) ? [200, 400, 404] : [200];
        if (!statuses.includes(answer.http?.status ?? 0)) return false;
        want(answer.response?.id === id, JSON.stringify(id), answer.response?.id);
        return true;
      },
    },
    {
      id: "notifications-without-id",
      requirement: "protocol:frame:answers",
      title: "No notification of the server has an id.",
      mend: "Leave id out of messages whose method starts with notifications/.",
      watch({ messages }) {
        const named = messages.filter(isObject).filter(({ method }) => String(method).startsWith("notifications/"));
        const odd = named.find((message) => !isNotification(message));
        want(odd === undefined, "no id", odd);
        return named.length > 0;
      },
    },
    {
      id: "answers-are-readable",
      requirement: "protocol:frame:answers",
      title: "Every JSON body and event of the server parses.",
      mend: "Send whole JSON values, one to a body, event or line.",
      watch({ messages, garbage }) {
        want(garbage.length === 0, "JSON", garbage[0]);
        return messages.length > 0;
      },
    },
  ],
};
