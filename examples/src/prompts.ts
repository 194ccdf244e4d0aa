/** Prompts: messages for a user to start from, with arguments, and suggestions for these that depend on each other. */
import { Client, ProtocolError } from "parley-mcp/client";
import { McpServer } from "parley-mcp/server";
import { z } from "zod";

const cities: { readonly [country: string]: readonly string[] } = {
  Italy: ["Bologna", "Bari", "Turin"],
  Japan: ["Kyoto", "Beppu"],
};

const server = new McpServer({ name: "travel", version: "1.0.0" });

server.prompt(
  "plan",
  {
    title: "Plan a trip",
    description: "A day in a city",
    input: z.object({
      country: z.string(),
      city: z.string().describe("Where to go"),
      hours: z.coerce.number().max(24).optional(),
    }),
    complete: {
      country: (typed) => Object.keys(cities).filter((country) => country.startsWith(typed)),
      city: (typed, { arguments: { country = "" } }) =>
        (cities[country] ?? Object.values(cities).flat()).filter((city) => city.startsWith(typed)),
    },
  },
  ({ city, country, hours = 8 }) => `Plan ${hours} hours in ${city}, ${country}.`,
);

server.prompt("pack", { description: "A packing list, with an example" }, () => [
  { role: "user", content: { type: "text", text: "What should I pack for rain?" } },
  { role: "assistant", content: { type: "text", text: "A coat, and a book." } },
  { role: "user", content: { type: "text", text: "And for snow?" } },
]);

for (const revision of ["2025-11-25", "2026-07-28"] as const) {
  console.log(`\n${revision}`);
  await using client = await Client.connect(server, { name: "example", version: "1.0.0", revisions: [revision] });

  for await (const prompt of client.prompts()) {
    const args = (prompt.arguments ?? []).map(({ name, required }) => (required ? name : `${name}?`));
    console.log(`${prompt.name}(${args.join(", ")}): ${prompt.description}`);
  }

  const ref = { type: "ref/prompt", name: "plan" } as const;
  const anywhere = await client.complete({ ref, argument: { name: "city", value: "B" } });
  console.log("with B:", anywhere.completion.values.join(", "));
  const inItaly = await client.complete({
    ref,
    argument: { name: "city", value: "B" },
    context: { arguments: { country: "Italy" } },
  });
  console.log("in Italy with B:", inItaly.completion.values.join(", "));

  const plan = await client.getPrompt("plan", { country: "Italy", city: "Bologna", hours: "5" });
  console.log("filled in:", JSON.stringify(plan.messages));

  const packing = await client.getPrompt("pack");
  for (const { role, content } of packing.messages) console.log(`${role}:`, content.type === "text" && content.text);

  for (const [name, args] of [
    ["plan", { country: "Italy", city: "Turin", hours: "30" }],
    ["sing", {}],
  ] as const) {
    try {
      await client.getPrompt(name, { ...args });
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      console.log("rejected:", error.code, error.message);
    }
  }
}
