/** A server over HTTP that behaves, in a process of its own. */
import { serveHttp } from "parley-mcp/node";
import { McpServer } from "parley-mcp/server";
import { z } from "zod";
import { serveParent } from "./parent-channel.js";

const server = new McpServer({ name: "polite", version: "1.0.0" });
const sum = { input: z.object({ a: z.number(), b: z.number() }), output: z.object({ sum: z.number() }) };
server.tool("add", sum, ({ a, b }) => ({ sum: a + b }));
server.tool("ask", {}, async (_input, context) => {
  const answer = await context.elicit({ message: "Which?", schema: z.object({ name: z.string() }) });
  return answer.action === "accept" ? answer.content.name : answer.action;
});
server.tool("publish", { input: z.object({ uri: z.string() }) }, ({ uri }) => {
  server.announce.resourceUpdated(uri);
  return "published";
});
server.resource("note://polite", { name: "polite" }, () => "polite");

const { url } = await serveHttp(server);
serveParent({ politeUrl: url }, {});
