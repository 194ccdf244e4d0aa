/** What holds over standard streams alone: lines, the probe of a program, its start, its end and its errors. */
import { notObserved } from "../../judge/expectations.js";
import { isObject } from "../../wire/json-rpc.js";
import { answer, event, eventStream, refuse, resultMessage } from "../replies.js";
import { type ClientArea, type ClientCheck, inBothEras, type Scenario, scenarioOfBothEras } from "../scenario.js";
import { assertOnTime, callsOf, postsOf, requestsOf, responsesOf, type Sighting, wantOf } from "../sighting.js";
import { stdioTwin } from "./stdio-twins.js";

/** Text whose line ends a message may not contain as they are. */
const LINES = "first\nsecond\r\nthird\u2028fourth";

/** How long a program winds up. */
const EXIT_MS = 200;

const LINES_TOOL = {
  name: "lines",
  inputSchema: { type: "object", properties: { text: { type: "string", default: LINES } } },
};

const TWO_TOOLS = ["first", "second"].map((name) => ({ name, inputSchema: { type: "object" } }));

function ofBothEras(check: ClientCheck): ClientCheck[] {
  return inBothEras(check).map((item) => ({ ...item, id: stdioTwin(item.id) }));
}

function eventsOf(seen: readonly Sighting[], verb: string): Sighting[] {
  return seen.filter((item) => item.origin === "pipe" && item.verb === verb);
}

/** A legacy program that answers its probe in one way. */
function probed(name: string, summary: string, script: Scenario["script"]): Scenario {
  return { name, isOverStdio: true, revisions: ["2025-11-25"], summary, script };
}

function probeCheck(name: string, requirement: string, title: string): ClientCheck {
  return {
    id: `client-${name}`,
    scenario: name,
    revisions: ["2025-11-25"],
    requirement,
    needsBothEras: true,
    title,
    mend: "Send initialize after a probe that was not answered as a modern server does.",
    judge: (seen, stage) => {
      const [probe] = requestsOf(seen, "server/discover");
      if (!probe) notObserved("the client sent no probe");
      const isFollowed = requestsOf(seen, "initialize").length > 0;
      if (!isFollowed) assertOnTime(stage);
      wantOf([probe.sighting], isFollowed, "initialize", "no initialize");
    },
  };
}

export const stdio: ClientArea = {
  area: "client-stdio",
  scenarios: [
    ...scenarioOfBothEras({
      name: "stdio-lines",
      isOverStdio: true,
      summary: "A program with a tool whose argument has line ends. It exits a moment after the end of its input.",
      script: () => ({ tools: [LINES_TOOL], pipe: { exitMs: EXIT_MS } }),
    }),
    probed("stdio-probe-silent", "A legacy program that does not answer the probe.", () => ({
      answers: { "server/discover": () => eventStream("", "open") },
    })),
    probed("stdio-probe-invalid-params", "A legacy program that answers the probe with -32602.", () => ({
      answers: { "server/discover": ({ message }) => refuse(200, message.id, -32602, "Invalid request parameters") },
    })),
    probed("stdio-probe-odd-result", "A legacy program that answers the probe with an empty result.", () => ({
      answers: {
        "server/discover": ({ message }) => ({
          status: 200,
          headers: {},
          body: JSON.stringify({ jsonrpc: "2.0", id: message.id, result: {} }),
        }),
      },
    })),
    {
      name: "stdio-asked",
      isOverStdio: true,
      revisions: ["2026-07-28"],
      summary: "A modern program that writes a request, which no modern server may.",
      script: () => ({
        tools: TWO_TOOLS,
        answers: {
          "tools/call": (request) =>
            eventStream(
              `${event({ jsonrpc: "2.0", id: "ask-1", method: "roots/list" })}${event(resultMessage(request, { content: [] }))}`,
            ),
        },
      }),
    },
    {
      name: "stdio-errors",
      isOverStdio: true,
      revisions: ["2026-07-28"],
      summary: "A modern program that writes to standard error.",
      script: () => ({ pipe: { log: "ERROR: a line of the log\nFATAL: another one\n" } }),
    },
    {
      name: "stdio-stubborn",
      isOverStdio: true,
      revisions: ["2026-07-28"],
      summary: "A modern program that goes on after the end of its input, and ends at SIGTERM.",
      script: () => ({ tools: [], pipe: { ignoresEnd: true } }),
    },
    {
      name: "stdio-crash",
      isOverStdio: true,
      revisions: ["2026-07-28"],
      summary: "A modern program that exits in the call of its first tool. A client goes on to the next tool.",
      script: () => ({
        tools: TWO_TOOLS,
        answers: {
          "tools/call": (request) =>
            request.params.name === "first" ? eventStream("", "reset") : answer(request, { content: [] }),
        },
      }),
    },
  ],
  checks: [
    ...ofBothEras({
      id: "client-one-line",
      scenario: "stdio-lines",
      requirement: "transport:stdio:no-embedded-newlines",
      title: "Every line is one JSON-RPC message.",
      mend: "Write each message as one line of JSON, and nothing else.",
      judge: (seen) => {
        const odd = postsOf(seen).find(({ value }) => !isObject(value) || value.jsonrpc !== "2.0");
        wantOf([odd], odd === undefined, "one message", odd?.body);
      },
    }),
    ...ofBothEras({
      id: "client-line-ends-kept",
      scenario: "stdio-lines",
      requirement: "transport:stdio:no-embedded-newlines",
      title: "Line ends in an argument arrive as they are.",
      mend: "Escape line ends in the JSON of a message.",
      judge: (seen) => {
        const [call] = callsOf(seen, "lines");
        if (!call) notObserved("the client did not call the tool");
        const { arguments: args } = call.params;
        if (!isObject(args) || args.text === undefined) notObserved("the client called the tool without its default");
        wantOf([call.sighting], args.text === LINES, JSON.stringify(LINES), args.text);
      },
    }),
    ...ofBothEras({
      id: "client-line-ended",
      scenario: "stdio-lines",
      requirement: "transport:stdio:no-embedded-newlines",
      title: "Every message ends with a line end.",
      mend: "Write a line end after each message.",
      judge: (seen) => {
        if (eventsOf(seen, "start").length === 0) notObserved("the client did not start the program");
        const [rest] = eventsOf(seen, "rest");
        wantOf([rest], rest === undefined, "a line end", rest?.body);
      },
    }),
    ...ofBothEras({
      id: "client-input-closed",
      scenario: "stdio-lines",
      requirement: "transport:stdio:clean-shutdown",
      title: "A client that is closed ends the input of each program, and waits for its exit.",
      mend: "Close the input of the program, wait for its exit, and signal then.",
      judge: (seen) => {
        const ends = eventsOf(seen, "end");
        const gone = eventsOf(seen, "gone");
        if (ends.length + gone.length === 0) notObserved("the client left the program running");
        const [signal] = eventsOf(seen, "signal");
        wantOf([signal], signal === undefined, `no signal for ${EXIT_MS} ms`, signal?.body);
        wantOf(gone, gone.length <= ends.length, "the end of the input", "a program that was killed");
      },
    }),
    probeCheck(
      "stdio-probe-silent",
      "lifecycle:discover:fallback-silent",
      "A probe that a program leaves unanswered is followed by initialize.",
    ),
    probeCheck(
      "stdio-probe-invalid-params",
      "lifecycle:discover:fallback-method-not-found",
      "A probe that a program answers with -32602 is followed by initialize.",
    ),
    probeCheck(
      "stdio-probe-odd-result",
      "lifecycle:discover:fallback-odd-result",
      "A probe that a program answers with another result is followed by initialize.",
    ),
    {
      id: "client-stdio-probe-first",
      scenario: "stdio-errors",
      requirement: "lifecycle:discover:probe-first",
      title: "The first message to a program is server/discover.",
      mend: "Send server/discover before any other request.",
      judge: (seen) => {
        const [first] = requestsOf(seen);
        wantOf([first?.sighting], first?.method === "server/discover", "server/discover", first?.method);
      },
    },
    {
      id: "client-stdio-stderr",
      scenario: "stdio-errors",
      requirement: "transport:stdio:stderr-passthrough",
      title: "A program that writes to standard error is used all the same.",
      mend: "Take no text on standard error for a failure.",
      judge: (seen) => {
        if (requestsOf(seen, "server/discover").length === 0) notObserved("the client sent no server/discover");
        wantOf([], callsOf(seen, "weather").length > 0, "calls of the tools", "none");
      },
    },
    {
      id: "client-stdio-unanswered",
      scenario: "stdio-asked",
      requirement: "transport:stdio:client-writes-no-answers",
      title: "A modern client writes no answer to a request of a program.",
      mend: "Drop requests of a modern server, and write requests and notifications alone.",
      judge: (seen) => {
        if (callsOf(seen, "first").length === 0) notObserved("the client did not call the tool");
        const [odd] = responsesOf(seen);
        wantOf([odd?.sighting], odd === undefined, "no answer", odd?.message);
      },
    },
    {
      id: "client-stdio-stubborn-ended",
      scenario: "stdio-stubborn",
      requirement: "transport:stdio:shutdown-escalation",
      title: "A program that ignores the end of its input is ended.",
      mend: "Signal or kill a program that is still there a while after its input was closed.",
      judge: (seen) => {
        if (eventsOf(seen, "end").length === 0) notObserved("the client did not end the program's input");
        const isEnded = seen.some(({ verb }) => verb === "signal" || verb === "gone");
        wantOf([], isEnded, "a signal", "a program that outlives its client");
      },
    },
    {
      id: "client-stdio-restarted",
      scenario: "stdio-crash",
      requirement: "transport:stdio:restart",
      title: "A program that exits unexpectedly is started again.",
      mend: "Start the program again for the next request.",
      judge: (seen) => {
        const [call] = callsOf(seen, "first");
        if (!call) notObserved("the client did not call the tool");
        const starts = eventsOf(seen.slice(seen.indexOf(call.sighting)), "start");
        wantOf([call.sighting], starts.length > 0, "another start", "none");
      },
    },
  ],
};
