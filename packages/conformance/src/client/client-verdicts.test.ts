/** Clients that do what the specification allows, and no more usual thing. None of them fails. */
import type { Revision } from "parley-requirements";
import { describe, expect, test } from "vitest";
import type { Finding } from "../judge/report.js";
import { base64Header } from "../target/envelope.js";
import { isResponse, type JsonObject } from "../wire/json-rpc.js";
import { CLIENT_AREAS, CLIENT_SCENARIOS } from "./areas/index.js";
import { taskIdOf } from "./areas/played-tasks.js";
import { type ClientTrial, concerns, runClientChecks, runScenario } from "./client-runner.js";
import { type ClientFault, onHeader, onMessage, without } from "./scripted/client-fault.fixture.js";
import { ScriptedClient } from "./scripted/scripted-client.fixture.js";

/** A clock that the client turns by waiting. */
function turnedClock() {
  let nowMs = 0;
  const wait = (ms: number) => {
    nowMs += ms;
  };
  return { clock: () => nowMs, wait };
}

async function findingsOf(
  name: string,
  revision: Revision,
  habit: ClientFault,
  ending = "exited with 0",
): Promise<readonly Finding[]> {
  const scenario = CLIENT_SCENARIOS.find((candidate) => candidate.name === name);
  if (!scenario) throw new Error(`There is no scenario ${name}`);
  const checks = CLIENT_AREAS.flatMap(({ area, checks: all }) => all.map((check) => ({ check, area }))).filter(
    ({ check }) => check.scenario === name && concerns(check, revision),
  );
  const { clock, wait } = turnedClock();
  const run = async ({ server, told }: ClientTrial) => {
    await new ScriptedClient(server, habit, { wait, patienceMs: 10_000, told }).run().catch(() => undefined);
    return ending;
  };
  return (await runScenario({ scenario, revision, checks }, { run, clock })).findings;
}

/** Another answer to a request of the server. */
function answering(id: string, given: JsonObject): ClientFault {
  return onMessage(undefined, (message) =>
    isResponse(message) && message.id === id ? { jsonrpc: "2.0", id, ...given } : message,
  );
}

function onCapabilities(change: (capabilities: JsonObject) => JsonObject): ClientFault {
  return onMessage("initialize", (message) => {
    const params = message.params as JsonObject;
    return { ...message, params: { ...params, capabilities: change(params.capabilities as JsonObject) } };
  });
}

function onEachName(encode: (name: string) => string): ClientFault {
  return {
    change: (call) => {
      const name = call.headers["mcp-name"];
      return name === undefined ? call : { ...call, headers: { ...call.headers, "mcp-name": encode(name) } };
    },
  };
}

const NO_METHOD = { error: { code: -32601, message: "There is no such method" } };

describe.concurrent("a client fails no check that", () => {
  test.each<[what: string, scenario: string, revision: Revision, ClientFault]>([
    [
      "uses one id for all requests, one after the other",
      "tools-modern",
      "2026-07-28",
      onMessage(undefined, (message) => ("id" in message ? { ...message, id: 1 } : message)),
    ],
    [
      "uses the id of its probe for the handshake",
      "tools-legacy",
      "2025-11-25",
      onMessage("initialize", (message) => ({ ...message, id: 1 })),
    ],
    [
      "uses one progress token for all requests, one after the other",
      "tools-modern",
      "2026-07-28",
      onMessage("tools/call", (message) => {
        const params = message.params as JsonObject;
        return { ...message, params: { ...params, _meta: { ...(params._meta as JsonObject), progressToken: "p" } } };
      }),
    ],
    ["writes plain names in Base64", "tools-modern", "2026-07-28", onEachName((name) => base64Header(name))],
    [
      "writes the name of its scheme in lower case",
      "login",
      "2026-07-28",
      {
        change: (call) => {
          const { authorization } = call.headers;
          if (authorization === undefined) return call;
          return { ...call, headers: { ...call.headers, authorization: authorization.replace("Bearer", "bearer") } };
        },
      },
    ],
    ["sends S256 to a server that lists plain alone", "login-plain-pkce", "2026-07-28", { off: "needs-s256" }],
    [
      "refuses an unknown request with another code",
      "server-requests",
      "2025-11-25",
      answering("unknown-1", { error: { code: -32603, message: "Unknown" } }),
    ],
    [
      "takes a conversation whose tool uses have no results",
      "server-requests",
      "2025-11-25",
      answering("unbalanced-1", { result: { role: "assistant", model: "none", content: { type: "text", text: "x" } } }),
    ],
    [
      "names a revision in its headers that the server speaks beside the negotiated one",
      "tools-legacy",
      "2025-11-25",
      onHeader("tools/call", "mcp-protocol-version", "2025-06-18"),
    ],
    ["goes on listening", "listen", "2026-07-28", { off: "ends-subscription" }],
    ["is done when it has given a call up", "cancel-modern", "2026-07-28", { off: "goes-on-after-giving-up" }],
    ["leaves a call in silence", "cancel-stdio-legacy", "2025-11-25", { off: "gives-up" }],
  ])("%s", async (_what, scenario, revision, habit) => {
    const findings = await findingsOf(scenario, revision, habit);

    const failures = findings.filter(({ outcome, severity }) => outcome === "failed" && severity === "failure");
    expect(failures.map(({ check, got }) => `${check}: ${got}`)).toEqual([]);
    expect(findings.some(({ outcome }) => outcome === "passed")).toBe(true);
  });
});

test.each<[what: string, ClientFault]>([
  [
    "samples as a user",
    answering("sample-1", { result: { role: "user", model: "none", content: { type: "text", text: "x" } } }),
  ],
  ["cannot list its roots today", answering("roots-1", { error: { code: -32603, message: "Not today" } })],
])("nothing is found in a client that %s", async (_what, habit) => {
  const findings = await findingsOf("server-requests", "2025-11-25", habit);

  expect(findings.filter(({ outcome }) => outcome === "failed").map(({ check }) => check)).toEqual([]);
});

test("plain values may be written in Base64", async () => {
  const habit = onHeader("tools/call", "mcp-param-region", base64Header("north"));

  const findings = await findingsOf("tools-modern", "2026-07-28", habit);

  expect(findings.find(({ check }) => check === "client-header-params")?.outcome).toBe("passed");
});

test("a client without elicitation has no method for it", async () => {
  const declared = onCapabilities(({ elicitation: _left, ...capabilities }) => capabilities);
  const refusing = ["form-1", "mode-1"].map((id) => answering(id, NO_METHOD));
  const habit: ClientFault = {
    change: (call) =>
      [declared, ...refusing].reduce((changed, { change }) => (change?.(changed) ?? changed) as typeof call, call),
  };

  const findings = await findingsOf("server-requests", "2025-11-25", habit);

  expect(findings.filter(({ outcome }) => outcome === "failed").map(({ check }) => check)).toEqual([]);
});

test.each([
  ["answer-forms-legacy", "2025-11-25"],
  ["empty-cursor", "2026-07-28"],
] as const)("a client that reads the first page alone fails nothing in %s", async (scenario, revision) => {
  const firstAlone = without((method, params) => method === "tools/list" && "cursor" in params);

  const findings = await findingsOf(scenario, revision, firstAlone);

  expect(findings.filter(({ outcome }) => outcome === "failed").map(({ check }) => check)).toEqual([]);
  expect(findings[0]?.reason).toBe("the client asks for no second page");
});

test("a client that was ended because it took too long had not given up its call", async () => {
  const findings = await findingsOf("cancel-legacy", "2025-11-25", { off: "gives-up" }, "exited with SIGKILL");

  expect(findings.find(({ check }) => check === "client-legacy-cancel-sent")?.reason).toContain(
    "--timeout allows more",
  );
});

test("a client that gives up a call before it knows of the task cancels no task", async () => {
  const early = without(
    (method, params) => ["tasks/get", "tasks/cancel"].includes(String(method)) && params.taskId === taskIdOf("hang"),
  );

  const findings = await findingsOf("tasks-modern", "2026-07-28", early);

  expect(findings.filter(({ outcome }) => outcome === "failed").map(({ check }) => check)).toEqual([]);
  expect(findings.find(({ check }) => check === "client-modern-task-cancel-sent")?.outcome).toBe("not observed");
});

test("a client of the modern era alone need not step to the legacy one", async () => {
  const modernAlone = without((method) => method === "initialize");
  const { clock, wait } = turnedClock();

  const { findings } = await runClientChecks({
    name: "modern alone",
    isSelected: (_check, area) => area === "client-negotiation",
    clock,
    run: async ({ server, told }) => {
      await new ScriptedClient(server, modernAlone, { wait, patienceMs: 10_000, told }).run().catch(() => undefined);
      return "done";
    },
  });

  const outcomes = findings.map(({ check, outcome }) => `${check} ${outcome}`);
  expect(findings.filter(({ outcome }) => outcome === "failed")).toEqual([]);
  expect(outcomes).toContain("client-probe-404 not observed");
  expect(outcomes).toContain("client-probe-unsupported passed");
});
