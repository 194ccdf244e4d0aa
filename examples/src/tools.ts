/** Tools: arguments, structured output, and the four ways in which a call can go wrong. */
import { Client, ProtocolError } from "parley-mcp/client";
import { McpServer, ToolError } from "parley-mcp/server";
import { z } from "zod";

const server = new McpServer({
  name: "office",
  version: "1.0.0",
  onError: (error) => console.log(`(the server's log: ${error.cause})`),
});

server.tool(
  "convert",
  {
    description: "Converts money at a fixed rate",
    input: z.object({ amount: z.number().positive(), rate: z.number().default(2) }),
    output: z.object({ amount: z.number(), rate: z.number() }),
    annotations: { readOnlyHint: true },
  },
  ({ amount, rate }) => ({ amount: amount * rate, rate }),
);

server.tool("countdown", { output: z.array(z.number()) }, () => [3, 2, 1]);

server.tool("open", { input: z.object({ door: z.string() }) }, ({ door }) => {
  if (door === "safe") throw new ToolError("The safe needs a key; ask for one at the desk");
  if (door === "trapdoor") throw new Error("hinge 7 is broken"); // no caller gets to see this
  return [
    { type: "text", text: `The ${door} is open` },
    { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" },
  ];
});

for (const revision of ["2025-11-25", "2026-07-28"] as const) {
  console.log(`\n${revision}`);
  await using client = await Client.connect(server, { name: "example", version: "1.0.0", revisions: [revision] });

  for await (const tool of client.tools()) console.log(`${tool.name} returns ${describe(tool.outputSchema)}`);

  const converted = await client.callTool("convert", { amount: 21 });
  console.log("a value:", JSON.stringify(converted.structuredContent));
  console.log("as text:", JSON.stringify(converted.content));

  const counted = await client.callTool("countdown");
  console.log("a list:", JSON.stringify(counted.structuredContent));

  const opened = await client.callTool("open", { door: "window" });
  console.log("blocks:", opened.content.map(({ type }) => type).join(", "));

  const failed = await client.callTool("open", { door: "safe" });
  console.log("failed:", failed.isError, JSON.stringify(failed.content));

  const refused = await client.callTool("convert", { amount: "much" });
  console.log("bad arguments:", refused.isError, JSON.stringify(refused.content));

  const crashed = await client.callTool("open", { door: "trapdoor" });
  console.log("crashed:", crashed.isError, JSON.stringify(crashed.content));

  try {
    await client.callTool("fly");
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    console.log("rejected:", error.code, error.message);
  }
}

function describe(schema: { type?: unknown; properties?: unknown } | undefined): string {
  if (!schema) return "content alone";
  return schema.properties ? `an object of ${Object.keys(schema.properties).join(", ")}` : `a value, ${schema.type}`;
}
