import { Client } from "parley-mcp/client";
import { McpServer, ProtocolError, ToolError } from "parley-mcp/server";
import { expect, test } from "vitest";
import { z } from "zod";
import { type AuditEntry, auditLog } from "./audit-log.js";

test.each(["2025-11-25", "2026-07-28"] as const)(
  "at %s every request is written with its outcome",
  async (revision) => {
    const entries: AuditEntry[] = [];
    let nowMs = 1_000;
    const server = new McpServer({ name: "audited", version: "1.0.0", onError: () => undefined });
    server.use(auditLog({ write: (entry) => entries.push(entry), shown: ["how"], now: () => nowMs }));
    const input = z.object({ how: z.string(), secret: z.string() });
    const controller = new AbortController();
    server.tool("work", { input }, async ({ how }, context) => {
      nowMs += 5;
      if (how === "fail") throw new ToolError("failed");
      if (how === "refuse") throw new ProtocolError(503, "Busy");
      if (how === "crash") throw new Error("secret");
      if (how === "ask") await context.elicit({ message: "?", schema: z.object({ name: z.string() }) });
      if (how === "cancel") {
        const aborted = new Promise((_resolve, reject) => {
          context.signal.addEventListener("abort", () => reject(context.signal.reason));
        });
        controller.abort();
        await aborted;
      }
      return "done";
    });
    server.resource("notes://1", { name: "one" }, () => "text");
    await using client = await Client.connect(server, {
      name: "ada",
      version: "1.0.0",
      revisions: [revision],
      elicit: () => ({ action: "accept", content: { name: "Ada" } }),
    });

    await client.readResource("notes://1");
    for (const how of ["succeed", "fail", "refuse", "crash", "ask", "cancel"]) {
      await client.callTool("work", { how, secret: "1234" }, { signal: controller.signal }).catch(() => undefined);
    }

    const rounds = revision === "2026-07-28" ? ["ask: input_required", "ask: ok"] : ["ask: ok"];
    const [opening, reading, ...calls] = entries;
    expect(opening).toMatchObject({ who: "anonymous", outcome: "ok" });
    expect(opening?.method).toMatch(/^initialize$|^server\/discover$/);
    expect(reading).toEqual({
      at: "1970-01-01T00:00:01.000Z",
      who: "anonymous",
      method: "resources/read",
      target: "notes://1",
      outcome: "ok",
      durationMs: 0,
    });
    expect(calls.map((entry) => `${entry.arguments?.how}: ${entry.outcome}`)).toEqual([
      "succeed: ok",
      "fail: tool_error",
      "refuse: error 503",
      "crash: crashed",
      ...rounds,
      "cancel: cancelled",
    ]);
    expect(calls[0]).toMatchObject({ target: "work", arguments: { secret: "(string)" }, durationMs: 5 });
    expect(JSON.stringify(entries)).not.toContain("1234");
  },
);
