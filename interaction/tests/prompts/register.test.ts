import { McpServer } from "parley-mcp/server";
import { expect } from "vitest";
import { z } from "zod";
import { verifies } from "../../src/verifies.js";

const ungot = (): never => {
  throw new Error("nothing gets it");
};

verifies(
  "prompts:capability:declared",
  "a prompt makes a server announce prompts, and without one nothing does",
  async ({ connect }) => {
    const polite = new McpServer({ name: "polite", version: "1.0.0" });
    polite.prompt("greet", {}, ungot);
    const bare = new McpServer({ name: "bare", version: "1.0.0" });

    const clients = await Promise.all([connect(polite), connect(bare)]);

    const announced = clients.map(({ serverCapabilities }) => Object.keys(serverCapabilities ?? {}));
    expect(announced).toEqual([["prompts"], []]);
  },
);

verifies(
  "prompts:list:basic",
  "each prompt is listed with its description and arguments, and no more",
  async ({ connect }) => {
    const server = new McpServer({ name: "reviewer", version: "1.0.0" });
    const input = z.object({ code: z.string().describe("What to review"), focus: z.string().optional() });
    server.prompt("review", { description: "Reviews code", input }, ungot);
    server.prompt("bare", {}, ungot);
    const client = await connect(server);

    const { prompts } = await client.listPrompts();

    expect(prompts).toStrictEqual([
      {
        name: "review",
        description: "Reviews code",
        arguments: [{ name: "code", description: "What to review", required: true }, { name: "focus" }],
      },
      { name: "bare" },
    ]);
  },
);

verifies("prompts:list:title", "the titles of a prompt and of its arguments are listed", async ({ connect }) => {
  const server = new McpServer({ name: "reviewer", version: "1.0.0" });
  const input = z.object({ code: z.string().meta({ title: "Your code" }) });
  server.prompt("review", { title: "Review my code", input }, ungot);
  const client = await connect(server);

  const { prompts } = await client.listPrompts();

  const code = { name: "code", title: "Your code", required: true };
  expect(prompts).toEqual([{ name: "review", title: "Review my code", arguments: [code] }]);
});

verifies("prompts:list:icons", "icons of a prompt are listed member by member", async ({ connect }) => {
  const icons = [
    { src: "https://review.example/icon.svg", mimeType: "image/svg+xml", sizes: ["any"] },
    { src: "data:image/png;base64,AAAA", sizes: ["16x16", "32x32"] },
  ];
  const server = new McpServer({ name: "reviewer", version: "1.0.0" });
  server.prompt("review", { icons }, ungot);
  const client = await connect(server);

  const { prompts } = await client.listPrompts();

  expect(prompts).toEqual([{ name: "review", icons }]);
});

verifies("prompts:list:pagination", "the pages of prompts together hold every prompt once", async ({ connect }) => {
  const server = new McpServer({ name: "alphabet", version: "1.0.0", pageSize: 2 });
  for (const letter of ["a", "b", "c", "d", "e"]) server.prompt(letter, {}, ungot);
  const client = await connect(server);

  const first = await client.listPrompts();
  const second = await client.listPrompts({ cursor: String(first.nextCursor) });
  const third = await client.listPrompts({ cursor: String(second.nextCursor) });

  const names = [first, second, third].map(({ prompts }) => prompts.map(({ name }) => name));
  expect(names).toEqual([["a", "b"], ["c", "d"], ["e"]]);
  expect(third).not.toHaveProperty("nextCursor");
});

verifies(
  "prompts:register:duplicate-name",
  "a second prompt under a name is refused, and the first is listed and got as before",
  async ({ connect }) => {
    const server = new McpServer({ name: "polite", version: "1.0.0" });
    server.prompt("greet", { description: "The first" }, () => "Greet me.");
    const duplicate = expect.objectContaining({ name: "SdkError", code: "duplicate-name" });
    expect(() => server.prompt("greet", { description: "The second" }, ungot)).toThrow(duplicate);
    const client = await connect(server);

    const { prompts } = await client.listPrompts();
    const { messages } = await client.getPrompt("greet");

    expect(prompts).toEqual([{ name: "greet", description: "The first" }]);
    expect(messages).toEqual([{ role: "user", content: { type: "text", text: "Greet me." } }]);
  },
);

verifies(
  "prompts:register:refusal-names-prompt",
  "the error for an unusable schema of a prompt begins with the name of the prompt",
  () => {
    const server = new McpServer({ name: "polite", version: "1.0.0" });
    const input = { type: "object", $ref: "https://example.com/name.json" };
    expect(() => server.prompt("greet", { input }, ungot)).toThrow(
      expect.objectContaining({ code: "unusable-schema", message: expect.stringMatching(/^prompt "greet": input: /) }),
    );
  },
);

verifies(
  "prompts:register:after-connect",
  "a prompt registered under a connected client is in its next list and can be got",
  async ({ connect }) => {
    const server = new McpServer({ name: "polite", version: "1.0.0" });
    server.prompt("greet", {}, ungot);
    const client = await connect(server);
    const before = await client.listPrompts();

    server.prompt("thank", {}, () => "Thank me.");
    const after = await client.listPrompts();
    const { messages } = await client.getPrompt("thank");

    expect(before.prompts).toEqual([{ name: "greet" }]);
    expect(after.prompts).toEqual([{ name: "greet" }, { name: "thank" }]);
    expect(messages).toEqual([{ role: "user", content: { type: "text", text: "Thank me." } }]);
  },
);

verifies(
  "prompts:register:removal",
  "a removed prompt is in no later list and unknown, and its name is free again",
  async ({ connect }) => {
    const server = new McpServer({ name: "polite", version: "1.0.0" });
    server.prompt("greet", {}, ungot);
    const thank = server.prompt("thank", {}, ungot);
    const client = await connect(server);
    await client.listPrompts();

    thank.remove();
    const { prompts } = await client.listPrompts();
    const refusal = await client.getPrompt("thank").catch((error: unknown) => error);
    server.prompt("thank", {}, () => "Thank me anew.");
    thank.remove();
    const { messages } = await client.getPrompt("thank");

    expect(prompts).toEqual([{ name: "greet" }]);
    expect(refusal).toMatchObject({ name: "ProtocolError", code: -32602 });
    expect(messages).toEqual([{ role: "user", content: { type: "text", text: "Thank me anew." } }]);
  },
);
