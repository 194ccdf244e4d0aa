/** Responses without an end: a client stops reading at a limit of its own, and goes on. */
import { notObserved } from "../../judge/expectations.js";
import type { PlayedReply } from "../../wire/http-listener.js";
import { answer, eventStream } from "../replies.js";
import type { ClientArea, ClientCheck, Scenario } from "../scenario.js";
import { callsOf, wantOf } from "../sighting.js";
import type { Stage } from "../stage.js";

const TOOLS = ["endless", "after"].map((name) => ({ name, inputSchema: { type: "object" } }));

/** A client that reads more has no limit. */
const MAX_SENT_BYTES = 32 * 1024 * 1024;

const PIECE = "x".repeat(256 * 1024);

/** Noted if a client has read everything. */
const READ = "read";

async function* endless(start: string, stage: Stage): AsyncIterable<string> {
  yield start;
  for (let sent = 0; sent < MAX_SENT_BYTES; sent += PIECE.length) yield PIECE;
  stage.notes.add(READ);
}

function endlessScenario(name: string, summary: string, respond: (stage: Stage) => PlayedReply): Scenario {
  return {
    name,
    revisions: ["2026-07-28"],
    summary,
    script: (stage) => ({
      tools: TOOLS,
      answers: {
        "tools/call": (request) =>
          request.params.name === "endless" ? respond(stage) : answer(request, { content: [] }),
      },
    }),
  };
}

function endlessCheck(name: string, title: string): ClientCheck {
  return {
    id: `client-${name}`,
    scenario: name,
    requirement: "client-transport:http:response-limit",
    title,
    mend: "Bound the bytes of one message, and close the response at the limit.",
    judge: (seen, { notes }) => {
      const [call] = callsOf(seen, "endless");
      if (!call) notObserved("the client did not call the tool");
      wantOf([call.sighting], !notes.has(READ), "a closed response", `${MAX_SENT_BYTES} bytes that were read`);
    },
  };
}

export const endlessResponses: ClientArea = {
  area: "client-endless-responses",
  scenarios: [
    endlessScenario("endless-body", "A tool whose JSON never ends.", (stage) => ({
      status: 200,
      headers: { "content-type": "application/json" },
      body: endless('{"jsonrpc":"2.0","text":"', stage),
    })),
    endlessScenario("endless-event", "A tool whose event never ends.", (stage) =>
      eventStream(endless("data: ", stage)),
    ),
  ],
  checks: [
    endlessCheck("endless-body", "A body without an end is not read to 32 MiB."),
    endlessCheck("endless-event", "An event without an end is not read to 32 MiB."),
    {
      id: "client-endless-goes-on",
      scenario: "endless-body",
      requirement: "client-transport:http:response-limit",
      title: "A client goes on after a response without an end.",
      mend: "Fail the call alone.",
      judge: (seen) => {
        if (callsOf(seen, "endless").length === 0) notObserved("the client did not call the tool");
        wantOf([], callsOf(seen, "after").length > 0, "the call of the next tool", "none");
      },
    },
  ],
};
