/** The server of the tour: a small greenhouse, with a bit of everything a server can offer. */
import { McpServer, ToolError } from "parley-mcp/server";
import { z } from "zod";

const beds = new Map([
  ["north", { plant: "tomato", moisture: 0.31 }],
  ["south", { plant: "basil", moisture: 0.62 }],
  ["attic", { plant: "chili", moisture: 0.18 }],
]);

export function createGreenhouse(): McpServer {
  const server = new McpServer({
    name: "greenhouse",
    version: "1.0.0",
    instructions: "Read a bed before you water it.",
  });

  server.tool(
    "water",
    {
      title: "Water a bed",
      description: "Waters a bed and tells how moist the soil is then",
      input: z.object({ bed: z.string(), liters: z.number().positive().max(20) }),
      output: z.object({ bed: z.string(), moisture: z.number() }),
      annotations: { readOnlyHint: false, idempotentHint: false },
    },
    async ({ bed, liters }, context) => {
      const found = beds.get(bed);
      if (!found) throw new ToolError(`There is no bed "${bed}"; there are ${[...beds.keys()].join(", ")}`);
      await context.progress(0.5, 1, "valve open");
      await context.progress(1, 1, "valve closed");
      return { bed, moisture: Math.min(1, Math.round((found.moisture + liters / 40) * 100) / 100) };
    },
  );

  server.resourceTemplate(
    "greenhouse://beds/{bed}",
    {
      name: "bed",
      description: "What grows in a bed and how moist it is",
      mimeType: "application/json",
      complete: { bed: (typed) => [...beds.keys()].filter((name) => name.startsWith(typed)) },
    },
    ({ variables }) => JSON.stringify(beds.get(String(variables.bed)) ?? {}),
  );

  server.prompt(
    "diagnose",
    {
      description: "Asks for a diagnosis of a plant",
      input: z.object({ symptom: z.string().describe("What is wrong with it") }),
    },
    ({ symptom }) => `My plant has ${symptom}. What should I look at first?`,
  );

  return server;
}
