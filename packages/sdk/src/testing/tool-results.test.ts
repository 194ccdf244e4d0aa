import { expect, it } from "vitest";
import { z } from "zod";
import { Client } from "../client/client.js";
import { defineExtension } from "../routing/extension.js";
import { defineResultType } from "../routing/result-type.js";
import { McpServer } from "../server/mcp-server.js";

it("waits for schemas that validate asynchronously, of what comes in and of what goes out", async () => {
  const small = z.object({ count: z.number().refine(async (count) => count < 10) });
  const server = new McpServer({ name: "patient", version: "1.0.0", onError: () => undefined });
  server.tool("double", { input: small, output: small }, ({ count }) => ({ count: 2 * count }));
  server.tool("spelled-out", { output: small }, () => ({ structuredContent: { count: 1 }, content: [] }));
  await using client = await Client.connect(server, { name: "caller", version: "1.0.0" });

  expect((await client.callTool("double", { count: 2 })).structuredContent).toEqual({ count: 4 });
  expect((await client.callTool("double", { count: 20 })).isError).toBe(true);
  expect((await client.callTool("double", { count: 6 })).structuredContent).toBeUndefined();
  expect(await client.callTool("spelled-out")).toMatchObject({ structuredContent: { count: 1 }, content: [] });
});

it("refuses a value that no text can mirror", async () => {
  const errors: Error[] = [];
  const server = new McpServer({ name: "odd", version: "1.0.0", onError: (error) => void errors.push(error) });
  server.tool("code", { output: z.any() }, () => () => 1);
  await using client = await Client.connect(server, { name: "caller", version: "1.0.0" });
  expect((await client.callTool("code")).isError).toBe(true);
  expect(String(errors[0]?.cause)).toContain("JSON cannot express it");
});

it("gives a result without content an empty list, if there is no value to mirror", async () => {
  const server = new McpServer({ name: "terse", version: "1.0.0" });
  server.tool("fail", { output: z.object({ count: z.number() }) }, () => ({ isError: true }));
  await using client = await Client.connect(server, { name: "caller", version: "1.0.0" });
  expect(await client.callTool("fail", {})).toMatchObject({ content: [], isError: true });
});

it("fails a tool whose result of an extension's kind breaks its schema, also if all of it is there at once", async () => {
  const errors: Error[] = [];
  const methods = ["tools/call"];
  const job = defineResultType("job", {
    methods,
    result: z.object({ id: z.string() }),
    settle: () => ({ content: [] }),
  });
  const jobs = defineExtension("com.example/jobs", { resultTypes: [job] });
  const onError = (error: Error) => void errors.push(error);
  const server = new McpServer({ name: "jobs", version: "1.0.0", extensions: [jobs], onError });
  server.tool("start", {}, () => job.of({ id: 7 as never }));
  await using client = await Client.connect(server, { name: "caller", version: "1.0.0", extensions: [jobs] });
  expect((await client.callTool("start")).isError).toBe(true);
  expect(String(errors[0]?.cause)).toContain("result.id");
});
