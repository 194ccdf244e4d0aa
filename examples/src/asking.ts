/** Asking the client: a form, a page, its model and its directories, from one handler, and what crosses the wire for it. */
import { McpServer, ProtocolError } from "parley-mcp/server";
import { connectInProcess, type WireEntry } from "parley-mcp/testing";
import { z } from "zod";

const server = new McpServer({ name: "publisher", version: "1.0.0" });
let runs = 0;

server.tool("publish", { input: z.object({ file: z.string() }) }, async ({ file }, context) => {
  runs += 1;
  const [directory] = await context.listRoots();

  const ticket = await context.once("ticket", () => {
    console.log("  (a ticket is drawn)");
    return 7;
  });

  const summary = await context.sample({
    messages: [{ role: "user", content: { type: "text", text: `Summarize ${directory?.uri}/${file}` } }],
    maxTokens: 50,
  });
  const text = !Array.isArray(summary.content) && summary.content.type === "text" ? summary.content.text : "";

  // Asked side by side, so they reach the user together.
  const [form, page] = await Promise.all([
    context.elicit({
      message: `Publish "${text}"?`,
      schema: z.object({ audience: z.enum(["team", "public"]), notify: z.boolean().default(true) }),
    }),
    context.elicit({ message: "Please sign the license", url: "https://example.com/license" }),
  ]);
  if (form.action !== "accept" || page.action !== "accept") return `Ticket ${ticket}: left alone`;
  return `Ticket ${ticket}: published for the ${form.content.audience}, notify: ${form.content.notify}`;
});

for (const revision of ["2025-11-25", "2026-07-28"] as const) {
  console.log(`\n${revision}`);
  await using client = await connectInProcess(server, {
    revisions: [revision],
    listRoots: () => [{ uri: "file:///books" }],
    sample: () => ({ role: "assistant", model: "a-model", content: { type: "text", text: "A whale" } }),
    elicit: ({ message }) => {
      console.log(`  (the user sees a form: ${message})`);
      return { action: "accept", content: { audience: "team" } };
    },
    elicitUrl: ({ url }) => {
      console.log(`  (the user opens ${url})`);
      return { action: "accept" };
    },
    record: showRequests,
  });
  runs = 0;
  const { content } = await client.callTool("publish", { file: "moby-dick.txt" });
  console.log(JSON.stringify(content));
  console.log("runs of the handler:", runs);

  // A client without these handlers declares nothing, so the first question ends the call.
  await using plain = await connectInProcess(server, { revisions: [revision] });
  try {
    await plain.callTool("publish", { file: "emma.txt" });
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    console.log("rejected:", error.code, error.message);
  }
}

function showRequests({ from, message }: WireEntry): void {
  if ("method" in message && "id" in message) console.log(`${from} asks ${message.method}`);
}
