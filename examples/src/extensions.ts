/** An extension: declared by both sides, refused where only one has it, and done without where the server is a plain one. */
import { Client, ProtocolError } from "parley-mcp/client";
import { defineExtension, defineMethod, McpServer } from "parley-mcp/server";
import { z } from "zod";

// Both sides import these. The schemas check and type what crosses, at each end.
const nextTide = defineMethod("harbor/next-tide", {
  params: z.object({ quay: z.string() }),
  result: z.object({ height: z.string(), at: z.string().transform((text) => new Date(text)) }),
});
const tides = defineExtension("com.example/tides", {
  clientSettings: z.object({ unit: z.enum(["m", "ft"]).default("m") }),
  serverSettings: z.object({ quays: z.number() }),
  methods: [nextTide],
  fallback: {
    // Answers in place of a server that lacks the extension, here by a tool that it has.
    client: async ({ params, request }) => {
      const { structuredContent } = await request("tools/call", { name: "tide", arguments: params });
      return structuredContent as object;
    },
  },
});

const harbor = new McpServer({ name: "harbor", version: "1.0.0", extensions: [tides.onServer({ quays: 4 })] });
harbor.handle(nextTide, ({ quay }, context) => {
  const unit = context.extension(tides)?.settings.unit;
  return { height: `${quay.length} ${unit}`, at: "2026-07-28T12:00:00Z" };
});

const plain = new McpServer({ name: "plain", version: "1.0.0" });
plain.tool(
  "tide",
  { input: z.object({ quay: z.string() }), output: z.object({ height: z.string(), at: z.string() }) },
  () => ({ height: "5 m", at: "2026-07-28T18:00:00Z" }),
);

for (const revision of ["2025-11-25", "2026-07-28"] as const) {
  console.log(`\n${revision}`);
  const identity = { name: "example", version: "1.0.0", revisions: [revision] };

  await using client = await Client.connect(harbor, { ...identity, extensions: [tides.onClient({ unit: "ft" })] });
  console.log("the server has it, with", client.extension(tides)?.settings);
  const { height, at } = await client.request(nextTide, { quay: "east" });
  console.log(`next tide: ${height} at ${at.getUTCHours()} h`);

  await using stranger = await Client.connect(harbor, identity);
  try {
    await stranger.request(nextTide, { quay: "east" });
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    console.log("without the extension:", error.code, JSON.stringify(error.data));
  }

  await using visitor = await Client.connect(plain, { ...identity, extensions: [tides] });
  console.log("the plain server has it:", visitor.extension(tides) !== undefined);
  const fallback = await visitor.request(nextTide, { quay: "east" });
  console.log(`by its tool: ${fallback.height} at ${fallback.at.getUTCHours()} h`);
}
