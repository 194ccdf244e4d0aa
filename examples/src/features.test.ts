/** Every program about one feature, run in this process: what it prints in each era, line by line. */
import { format } from "node:util";
import { expect, test, vi } from "vitest";

type Line = string | { readonly only: "2025-11-25" | "2026-07-28"; readonly line: string };

const legacy = (line: string): Line => ({ only: "2025-11-25", line });
const modern = (line: string): Line => ({ only: "2026-07-28", line });

const programs: { readonly name: string; readonly run: () => Promise<unknown>; readonly prints: readonly Line[] }[] = [
  {
    name: "tools",
    run: () => import("./tools.js"),
    prints: [
      "convert returns an object of amount, rate",
      legacy("countdown returns an object of result"),
      modern("countdown returns a value, array"),
      "open returns content alone",
      'a value: {"amount":42,"rate":2}',
      String.raw`as text: [{"type":"text","text":"{\"amount\":42,\"rate\":2}"}]`,
      legacy('a list: {"result":[3,2,1]}'),
      modern("a list: [3,2,1]"),
      "blocks: text, image",
      'failed: true [{"type":"text","text":"The safe needs a key; ask for one at the desk"}]',
      String.raw`bad arguments: true [{"type":"text","text":"tools/call \"convert\": arguments.amount: Invalid input: expected number, received string"}]`,
      "(the server's log: Error: hinge 7 is broken)",
      'crashed: true [{"type":"text","text":"The tool failed. Its server has recorded the reason."}]',
      "rejected: -32602 Unknown tool: fly",
    ],
  },
  {
    name: "resources",
    run: () => import("./resources.js"),
    prints: [
      "resource records://about, text/plain",
      "resource records://cover, image/png",
      "template records://albums/{album}/{track}, track",
      'read: [{"uri":"records://about","mimeType":"text/plain","text":"A small collection"}]',
      'read: [{"uri":"records://cover","mimeType":"image/png","blob":"iVBORw=="}]',
      "suggested: hejira, tracks 1 and 2",
      'filled in: {"uri":"records://albums/hejira/2","mimeType":"text/plain","text":"Amelia"}',
      legacy("rejected: -32002 Resource not found: records://nowhere"),
      modern("rejected: -32602 Resource not found: records://nowhere"),
      "rejected: -32602 There is no such track: records://albums/blue/9",
    ],
  },
  {
    name: "prompts",
    run: () => import("./prompts.js"),
    prints: [
      "plan(country, city, hours?): A day in a city",
      "pack(): A packing list, with an example",
      "with B: Bologna, Bari, Beppu",
      "in Italy with B: Bologna, Bari",
      'filled in: [{"role":"user","content":{"type":"text","text":"Plan 5 hours in Bologna, Italy."}}]',
      "user: What should I pack for rain?",
      "assistant: A coat, and a book.",
      "user: And for snow?",
      'rejected: -32602 prompts/get "plan": arguments.hours: Too big: expected number to be <=24',
      "rejected: -32602 Unknown prompt: sing",
    ],
  },
  {
    name: "asking",
    run: () => import("./asking.js"),
    prints: [
      legacy("client asks initialize"),
      modern("client asks server/discover"),
      "client asks tools/call",
      legacy("server asks roots/list"),
      modern("client asks tools/call"),
      "  (a ticket is drawn)",
      legacy("server asks sampling/createMessage"),
      legacy("server asks elicitation/create"),
      legacy("server asks elicitation/create"),
      modern("client asks tools/call"),
      '  (the user sees a form: Publish "A whale"?)',
      "  (the user opens https://example.com/license)",
      modern("client asks tools/call"),
      '[{"type":"text","text":"Ticket 7: published for the team, notify: true"}]',
      legacy("runs of the handler: 1"),
      modern("runs of the handler: 4"),
      legacy("rejected: -32602 This request needs client capabilities that were not declared: roots"),
      modern("rejected: -32021 This request needs client capabilities that were not declared: roots"),
    ],
  },
  {
    name: "subscriptions",
    run: () => import("./subscriptions.js"),
    prints: [
      'the server will tell of: {"tools":true,"resource":["shop://stock/tea"]}',
      'changed: [{"uri":"shop://stock/tea","text":"2 left"}]',
      "changed: tools, now sell, refund",
      "changed: tools, now sell",
      'changed: [{"uri":"shop://stock/tea","text":"0 left"}]',
    ],
  },
  {
    name: "caching",
    run: () => import("./caching.js"),
    prints: [
      legacy("hints: undefined undefined"),
      modern("hints: 0 public"),
      "first: measurement 1",
      legacy("again: measurement 2"),
      modern("again: measurement 1"),
      legacy("asked for fresh: measurement 3"),
      modern("asked for fresh: measurement 2"),
      legacy("a minute later: measurement 4"),
      modern("a minute later: measurement 3"),
      legacy("after a change: measurement 5"),
      modern("after a change: measurement 4"),
    ],
  },
  {
    name: "logging-and-progress",
    run: () => import("./logging-and-progress.js"),
    prints: [
      "with progress:",
      "  1/3 Imported a.csv",
      legacy('  warning from reader: {"file":"b.csv","skipped":2}'),
      "  2/3 Imported b.csv",
      "  3/3 Imported c.csv",
      "from debug on:",
      '  debug from reader: {"file":"a.csv"}',
      '  debug from reader: {"file":"b.csv"}',
      '  warning from reader: {"file":"b.csv","skipped":2}',
      '  debug from reader: {"file":"c.csv"}',
    ],
  },
  {
    name: "cancellation",
    run: () => import("./cancellation.js"),
    prints: [
      "  (the oven is off)",
      'given up: request-aborted, tools/call "bake" was aborted by its caller',
      "  (the oven is off)",
      'out of time: request-timeout, tools/call "bake" was not answered within 20 ms; timeoutMs allows more',
      'the connection goes on: [{"type":"text","text":"Good"}]',
      "  (the oven is off)",
      'gone: connection-closed, The connection closed before tools/call "bake" was answered',
    ],
  },
  {
    name: "tasks",
    run: () => import("./tasks.js"),
    prints: [
      'awaited: [{"type":"text","text":"A lemon cake"}]',
      "meanwhile: in the oven",
      'fetched later: [{"type":"text","text":"A lemon cake"}] completed',
      "cancelled: request-aborted",
    ],
  },
  {
    name: "custom-methods",
    run: () => import("./custom-methods.js"),
    prints: [
      "restocked: tea on shelf t-3",
      "line: tea",
      "line: rice",
      legacy("report signed by Ada"),
      modern("report signed by nobody"),
      "rejected: -32602 warehouse/restock: params.count: Invalid input: expected number, received string",
      "rejected: -32601 Method not found: warehouse/burn",
    ],
  },
  {
    name: "extensions",
    run: () => import("./extensions.js"),
    prints: [
      "the server has it, with { quays: 4 }",
      "next tide: 4 ft at 12 h",
      legacy('without the extension: -32602 {"requiredCapabilities":{"extensions":{"com.example/tides":{}}}}'),
      modern('without the extension: -32021 {"requiredCapabilities":{"extensions":{"com.example/tides":{}}}}'),
      "the plain server has it: false",
      "by its tool: 5 m at 18 h",
    ],
  },
  {
    name: "apps",
    run: () => import("./apps.js"),
    prints: [
      "without pages: show_oven",
      "with pages: show_oven, take_out",
      "the page ui://bakery/oven loads from https://pictures.example",
      "the page shows: Six loaves, ten minutes left",
      "the page asks for tools/call",
      "the page shows: 6 loaves taken out",
    ],
  },
  {
    name: "pagination",
    run: () => import("./pagination.js"),
    prints: [
      "all: dune, emma, ida, momo, ulysses",
      "the first: dune",
      "page: dune, emma",
      "page: ida, momo",
      "page: ulysses",
      "goes on with: ida, momo",
      "rejected: -32602 params.cursor: not a cursor of this list; leave it out to start from the beginning",
      ...["dune", "emma", "ida", "momo"].map((name) => `hasty: ${name}`),
      "given up: too-many-pages",
    ],
  },
];

test.each(programs)("$name shows its feature in both eras", async ({ run, prints }) => {
  expect(await sectionsOf(run)).toEqual({
    "2025-11-25": prints.flatMap((line) => linesIn("2025-11-25", line)),
    "2026-07-28": prints.flatMap((line) => linesIn("2026-07-28", line)),
  });
});

test("eras shows how a revision is found, and what each of them gets", async () => {
  const handshake = ["→ initialize", "→ notifications/initialized", "→ tools/call"];
  const settled = (revision: string, era: string) => `settled on ${revision}, ${era}; the server is jukebox`;
  const noAudio = "[audio content, audio/wav: not available in protocol revision 2024-11-05]";
  const linkAsText = "song 7: jukebox://songs/7";
  expect(await sectionsOf(() => import("./eras.js"))).toEqual({
    "both speak everything": ["→ server/discover", "→ tools/call", settled("2026-07-28", "modern")],
    "an older server": ["→ server/discover", ...handshake, settled("2025-11-25", "legacy")],
    "a client held to one revision": [...handshake, settled("2025-03-26", "legacy")],
    "a modern pin: nothing is asked": ["→ tools/call", settled("2026-07-28", "modern")],
    "a legacy pin: straight to the handshake": [...handshake, settled("2025-06-18", "legacy")],
    "a first connection": ["→ server/discover", ...handshake, settled("2025-11-25", "legacy")],
    "the next one, which remembers": [...handshake, settled("2025-11-25", "legacy")],
    "2024-11-05": ["served as legacy", noAudio, linkAsText],
    "2025-03-26": ["served as legacy", "(audio)", linkAsText],
    "2025-06-18": ["served as legacy", "(audio)", "(resource_link)"],
    "2025-11-25": ["served as legacy", "(audio)", "(resource_link)"],
    "2026-07-28": ["served as modern", "(audio)", "(resource_link)"],
  });
});

function linesIn(revision: string, line: Line): string[] {
  if (typeof line === "string") return [line];
  return line.only === revision ? [line.line] : [];
}

/** What a program prints, by the headings it prints after a blank line. Nothing else may reach the console. */
async function sectionsOf(run: () => Promise<unknown>): Promise<Record<string, string[]>> {
  const log = vi.spyOn(console, "log").mockImplementation(() => undefined);
  const error = vi.spyOn(console, "error");
  try {
    await run();
    expect(error).not.toHaveBeenCalled();
    const shown = log.mock.calls.map((args) => format(...args)).join("\n");
    const [before, ...sections] = `\n${shown}`.split("\n\n");
    expect(before).toBe("");
    return Object.fromEntries(
      sections.map((section) => section.split("\n")).map(([heading = "", ...lines]) => [heading, lines]),
    );
  } finally {
    vi.restoreAllMocks();
  }
}
