import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import { McpServer } from "parley-mcp/server";
import * as v from "valibot";
import { expect } from "vitest";
import { z } from "zod";
import { verifies } from "../../src/verifies.js";

verifies(
  "prompts:get:no-args",
  "a prompt without arguments answers with its description and messages",
  async ({ connect }) => {
    const server = new McpServer({ name: "polite", version: "1.0.0" });
    const tellArguments = (args: object) => `Greet me, given ${JSON.stringify(args)}.`;
    server.prompt("greet", { description: "A greeting" }, tellArguments);
    const client = await connect(server);

    const empty = await client.getPrompt("greet");
    const absent = await client.request("prompts/get", { name: "greet" });

    const messages = [{ role: "user", content: { type: "text", text: "Greet me, given {}." } }];
    expect(empty).toMatchObject({ description: "A greeting", messages });
    expect(absent).toMatchObject({ description: "A greeting", messages });
  },
);

verifies("prompts:get:with-args", "the arguments reach the handler as they were sent", async ({ connect }) => {
  const server = new McpServer({ name: "polite", version: "1.0.0" });
  const input = z.object({ name: z.string(), style: z.string() });
  server.prompt("greet", { input }, (args) => JSON.stringify(args));
  const client = await connect(server);

  const args = { name: 'Ada "the Countess"\n🎈', style: "" };
  const { messages } = await client.getPrompt("greet", args);

  expect(messages).toEqual([{ role: "user", content: { type: "text", text: JSON.stringify(args) } }]);
});

verifies(
  "prompts:get:optional-args",
  "an optional argument is listed as not required, and the handler runs with and without it",
  async ({ connect }) => {
    const server = new McpServer({ name: "polite", version: "1.0.0" });
    const input = z.object({ name: z.string(), style: z.string().optional(), tone: z.string().default("warm") });
    server.prompt("greet", { input }, ({ name, style, tone }) => `${name}, ${style}, ${tone}`);
    const client = await connect(server);

    const { prompts } = await client.listPrompts();
    const without = await client.getPrompt("greet", { name: "Ada" });
    const withBoth = await client.getPrompt("greet", { name: "Ada", style: "formal", tone: "cool" });

    const required = prompts[0]?.arguments?.map((argument) => [argument.name, argument.required ?? false]);
    expect(required).toEqual([
      ["name", true],
      ["style", false],
      ["tone", false],
    ]);
    const texts = [without, withBoth].map(({ messages }) => messages.map(({ content }) => content));
    expect(texts).toEqual([
      [{ type: "text", text: "Ada, undefined, warm" }],
      [{ type: "text", text: "Ada, formal, cool" }],
    ]);
  },
);

verifies(
  "prompts:get:missing-required-args",
  "a missing argument is -32602 and named, and no handler runs",
  async ({ connect }) => {
    const server = new McpServer({ name: "polite", version: "1.0.0" });
    server.prompt("greet", { input: z.object({ name: z.string(), occasion: z.string() }) }, () => {
      throw new Error("must not run");
    });
    const client = await connect(server);

    for (const args of [{ name: "Ada" }, undefined]) {
      await expect(client.getPrompt("greet", args)).rejects.toMatchObject({
        name: "ProtocolError",
        code: -32602,
        message: expect.stringMatching(/greet.*occasion/),
      });
    }
  },
);

verifies(
  "prompts:get:args-validation",
  "a wrong argument is -32602 with its path and a right one passes, whatever library wrote the schema",
  async ({ connect }) => {
    const server = new McpServer({ name: "calendar", version: "1.0.0" });
    const plain = { type: "object", properties: { day: { enum: ["mon", "tue"] } }, required: ["day"] };
    const tellDay = ({ day }: { day?: unknown }) => `On ${day}`;
    server.prompt("zod", { input: z.object({ day: z.enum(["mon", "tue"]) }) }, tellDay);
    server.prompt("valibot", { input: toStandardJsonSchema(v.object({ day: v.picklist(["mon", "tue"]) })) }, tellDay);
    server.prompt("arktype", { input: type({ day: "'mon' | 'tue'" }) }, tellDay);
    server.prompt("json-schema", { input: plain }, tellDay);
    const client = await connect(server);

    for (const name of ["zod", "valibot", "arktype", "json-schema"]) {
      const { messages } = await client.getPrompt(name, { day: "tue" });
      expect(messages).toEqual([{ role: "user", content: { type: "text", text: "On tue" } }]);
      await expect(client.getPrompt(name, { day: "wed" }), name).rejects.toMatchObject({
        name: "ProtocolError",
        code: -32602,
        message: expect.stringMatching(new RegExp(`"${name}".*arguments\\.day`)),
      });
    }
  },
);

verifies("prompts:get:unknown-name", "an unknown prompt is -32602 and named", async ({ connect }) => {
  const server = new McpServer({ name: "polite", version: "1.0.0" });
  server.prompt("greet", {}, () => "another one");
  const client = await connect(server);

  for (const name of ["insult", "Greet", "constructor", "__proto__"]) {
    await expect(client.getPrompt(name), name).rejects.toMatchObject({
      name: "ProtocolError",
      code: -32602,
      message: expect.stringContaining(name),
    });
  }
});

verifies(
  "prompts:get:handler-throws",
  "a crash is opaque to the caller and told to onError with its cause",
  async ({ connect }) => {
    const reported: Error[] = [];
    const secret = new Error("connect ECONNREFUSED 10.0.0.7:5432");
    const server = new McpServer({ name: "frail", version: "1.0.0", onError: (error) => void reported.push(error) });
    server.prompt("crash", {}, () => Promise.reject(secret));
    const client = await connect(server);

    const failure = await client.getPrompt("crash").catch((error: unknown) => error);

    expect(failure).toMatchObject({ name: "ProtocolError", code: -32603, message: "Internal error", data: undefined });
    expect(reported).toMatchObject([{ name: "SdkError", code: "handler-failed", cause: secret }]);
  },
);

verifies(
  "prompts:get:returns",
  "text, messages and a full result are three ways of saying the same",
  async ({ connect }) => {
    const server = new McpServer({ name: "polite", version: "1.0.0" });
    const messages = [{ role: "user" as const, content: { type: "text" as const, text: "Greet me." } }];
    server.prompt("text", { description: "as listed" }, () => "Greet me.");
    server.prompt("messages", { description: "as listed" }, async () => messages);
    server.prompt("full", { description: "as listed" }, () => ({ description: "as returned", messages }));
    server.prompt("undescribed", {}, () => "Greet me.");
    const client = await connect(server);

    const names = ["text", "messages", "full", "undescribed"];
    const results = await Promise.all(names.map((name) => client.getPrompt(name)));

    expect(results.map((result) => result.messages)).toEqual([messages, messages, messages, messages]);
    const descriptions = results.map(({ description }) => description);
    expect(descriptions).toEqual(["as listed", "as listed", "as returned", undefined]);
  },
);
