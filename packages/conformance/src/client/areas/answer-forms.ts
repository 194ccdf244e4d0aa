/**
 * The forms in which an answer may come, and what may come beside it. Each page of a list comes in another form; the
 * request for the next page shows that the client could read it. The first page is plain JSON, and shows whether the client
 * asks for pages at all.
 */
import { notObserved } from "../../judge/expectations.js";
import type { JsonObject } from "../../wire/json-rpc.js";
import { answer, event, eventStream, resultMessage } from "../replies.js";
import { type ClientArea, type ClientCheck, inBothEras, scenarioOfBothEras } from "../scenario.js";
import { requestsOf, responsesOf, type SeenRequest, wantOf } from "../sighting.js";

interface Form {
  readonly id: string;
  readonly requirement: string;
  readonly title: string;
  readonly body: (message: JsonObject, request: SeenRequest) => string | AsyncIterable<Uint8Array>;
}

const FRAMING = "client-transport:http:stream-framing";

/** A notification of the server. */
function notification(method: string, params: JsonObject): string {
  return event({ jsonrpc: "2.0", method, params });
}

const FORMS: readonly Form[] = [
  {
    id: "event",
    requirement: FRAMING,
    title: "An answer as a server-sent event is read.",
    body: (message) => event(message),
  },
  {
    id: "comments",
    requirement: FRAMING,
    title: "Comments in an event stream are ignored.",
    body: (message) => `: comment\n:\n\n${event(message)}: end\n\n`,
  },
  {
    id: "crlf",
    requirement: FRAMING,
    title: "An event stream whose lines end with CRLF is read.",
    body: (message) => event(message).replaceAll("\n", "\r\n"),
  },
  {
    id: "cr",
    requirement: FRAMING,
    title: "An event stream whose lines end with CR is read.",
    body: (message) => `${event(message).replaceAll("\n", "\r")}:\n\n`,
  },
  {
    id: "data-lines",
    requirement: FRAMING,
    title: "An event with several lines of data is read.",
    body: (message) => `data: ${JSON.stringify(message, null, 1).replaceAll("\n", "\ndata: ")}\n\n`,
  },
  {
    id: "no-space",
    requirement: FRAMING,
    title: "A field without a space after its colon is read.",
    body: (message) => `data:${JSON.stringify(message)}\n\n`,
  },
  {
    id: "byte-order-mark",
    requirement: FRAMING,
    title: "An event stream with a byte order mark is read.",
    body: (message) => `\uFEFF${event(message)}`,
  },
  {
    id: "unknown-field",
    requirement: FRAMING,
    title: "An event with unknown fields is read.",
    body: (message) => `future: field\n${event(message)}`,
  },
  {
    id: "cut",
    requirement: FRAMING,
    title: "An event stream that is cut inside of characters is read.",
    body: (message) => inSingleBytes(event(withMember(message, "cut", "größe"))),
  },
  {
    id: "empty-event",
    requirement: FRAMING,
    title: "An event without data is ignored.",
    body: (message) => `event: message\n\n${event(message)}`,
  },
  {
    id: "unknown-notification",
    requirement: "protocol:notifications:no-response",
    title: "A notification that the client does not know is ignored.",
    body: (message) => `${notification("notifications/future", { unknown: 1 })}${event(message)}`,
  },
  {
    id: "stray-progress",
    requirement: "protocol:progress:late-dropped-by-client",
    title: "Progress for an unknown token is ignored.",
    body: (message) =>
      `${notification("notifications/progress", { progressToken: "stray", progress: 1 })}${event(message)}`,
  },
  {
    id: "malformed-log",
    requirement: "logging:message:malformed",
    title: "A log message with an unknown level is ignored.",
    body: (message) =>
      `${notification("notifications/message", { level: "loud", logger: "malformed" })}${event(message)}`,
  },
  {
    id: "stray-cancellation",
    requirement: "protocol:cancel:unknown-id-ignored",
    title: "A cancellation of an unknown request is ignored.",
    body: (message) =>
      `${notification("notifications/cancelled", { requestId: "nobody", reason: "stray" })}${event(message)}`,
  },
  {
    id: "unknown-id",
    requirement: "client-transport:http:stray-answers",
    title: "An answer under an unknown id is ignored.",
    body: (message) => `${event({ jsonrpc: "2.0", id: "nobody-asked", result: {} })}${event(message)}`,
  },
  {
    id: "duplicate",
    requirement: "client-transport:http:stray-answers",
    title: "The second answer to a request is ignored.",
    body: (message) => `${event(message)}${event(withMember(message, "isDuplicate", true))}`,
  },
];

/** A message whose result has one more member. */
function withMember(message: JsonObject, name: string, value: unknown): JsonObject {
  return { ...message, result: { ...(message.result as JsonObject), [name]: value } };
}

async function* inSingleBytes(text: string): AsyncIterable<Uint8Array> {
  for (const byte of new TextEncoder().encode(text)) yield Uint8Array.of(byte);
}

const CURSOR = /^form-(\d+)$/;

/** The page that a request asks for, of the list that has a page for each form. */
function pageOf({ params }: SeenRequest): number {
  return Number(CURSOR.exec(String(params.cursor))?.[1] ?? 0);
}

function formCheck({ id, requirement, title }: Form, page: number): ClientCheck {
  return {
    id: `client-form-${id}`,
    scenario: "answer-forms",
    requirement,
    title,
    mend: "Read event streams as the HTML standard says, and pass over messages that concern no request.",
    judge: (seen) => {
      if (requestsOf(seen, "tools/list").every((request) => pageOf(request) === 0))
        notObserved("the client asks for no second page");
      const asked = requestsOf(seen, "tools/list").find((request) => pageOf(request) === page);
      if (!asked) notObserved("the client did not ask for this page");
      const isRead = requestsOf(seen, "tools/list").some((request) => pageOf(request) === page + 1);
      wantOf([asked.sighting], isRead, "a request for the next page", "none");
    },
  };
}

export const answerForms: ClientArea = {
  area: "client-answer-forms",
  scenarios: scenarioOfBothEras({
    name: "answer-forms",
    summary:
      "A list of tools on many pages. Each page is an event stream in another form, or with other messages in it.",
    script: () => ({
      answers: {
        "tools/list": (request) => {
          const page = pageOf(request);
          if (page === 0) return answer(request, { tools: [], nextCursor: "form-1" });
          const form = FORMS[page - 1];
          if (!form) return answer(request, { tools: [] });
          const message = resultMessage(request, { tools: [], nextCursor: `form-${page + 1}` });
          return eventStream(form.body(message, request));
        },
      },
    }),
  }),
  checks: [
    ...FORMS.map((form, index) => formCheck(form, index + 1)).flatMap(inBothEras),
    ...inBothEras({
      id: "client-notifications-unanswered",
      scenario: "answer-forms",
      requirement: "protocol:notifications:no-response",
      title: "No notification of the server is answered.",
      mend: "Answer requests alone.",
      judge: (seen) => {
        if (!requestsOf(seen, "tools/list").some((request) => pageOf(request) > 12))
          notObserved("the client was sent no notification");
        const [found] = responsesOf(seen);
        wantOf([found?.sighting], found === undefined, "no answer", found?.message);
      },
    }),
  ],
};
