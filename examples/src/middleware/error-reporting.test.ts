import { Client } from "parley-mcp/client";
import { McpServer, ProtocolError, ToolError } from "parley-mcp/server";
import { expect, test } from "vitest";
import { type CrashReport, errorReporting } from "./error-reporting.js";

test.each(["2025-11-25", "2026-07-28"] as const)("at %s a crash has a reference on both sides", async (revision) => {
  const reports: CrashReport[] = [];
  const server = new McpServer({
    name: "careful",
    version: "1.0.0",
    onError: (error) => {
      throw new Error("reported twice", { cause: error });
    },
  });
  server.use(errorReporting({ report: (crash) => reports.push(crash) }));
  const crash = new Error("password 1234 was refused by db-7");
  server.tool("crash", () => Promise.reject(crash));
  server.tool("refuse", () => Promise.reject(new ProtocolError(503, "Busy")));
  server.tool("fail", () => Promise.reject(new ToolError("No such bed")));
  await using client = await Client.connect(server, { name: "ada", version: "1.0.0", revisions: [revision] });

  const error = await client.callTool("crash").catch((reason: unknown) => reason);
  await expect(client.callTool("refuse")).rejects.toMatchObject({ code: 503, message: "Busy" });
  expect(await client.callTool("fail")).toMatchObject({ isError: true });

  const [report] = reports;
  expect(reports).toEqual([
    { reference: expect.stringMatching(/^[0-9a-f-]{36}$/), method: "tools/call", error: crash },
  ]);
  expect(error).toMatchObject({
    code: -32603,
    message: `Internal error, reference ${report?.reference}`,
    data: { reference: report?.reference },
  });
  expect(JSON.stringify(error)).not.toContain("1234");
});

test("what a cancelled request throws is no crash", async () => {
  const reports: CrashReport[] = [];
  const server = new McpServer({ name: "careful", version: "1.0.0", onError: () => undefined });
  server.use(errorReporting({ report: (crash) => reports.push(crash) }));
  const controller = new AbortController();
  server.tool("wait", async (_args, { signal }) => {
    const aborted = new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    controller.abort();
    await aborted;
    return "never";
  });
  await using client = await Client.connect(server, { name: "ada", version: "1.0.0" });

  await expect(client.callTool("wait", {}, { signal: controller.signal })).rejects.toMatchObject({
    code: "request-aborted",
  });

  expect(reports).toEqual([]);
});
