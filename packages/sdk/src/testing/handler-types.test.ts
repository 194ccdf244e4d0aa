/** What the compiler says about handlers: literals need no annotation, and what is wrong is refused. Runs only to count. */
import { expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { Client } from "../client/client.js";
import type { ElicitSchema } from "../protocol/elicitation.js";
import type { InputResponses } from "../protocol/input-required.js";
import { defineMethod } from "../routing/method-definition.js";
import type { JsonObject } from "../runtime/json.js";
import { inputRequired } from "../server/input/input-required.js";
import { McpServer } from "../server/mcp-server.js";

const identity = { name: "types", version: "1.0.0" };
const input = z.object({ yes: z.boolean() });
const kind = z.object({ kind: z.enum(["x", "y"]) });
const either = z.discriminatedUnion("type", [
  z.object({ type: z.literal("count"), n: z.number() }),
  z.object({ type: z.literal("none") }),
]);

test("a tool returns content blocks as literals", () => {
  const server = new McpServer(identity);
  const tools = [
    server.tool("blocks", {}, () => [{ type: "text", text: "x" }]),
    server.tool("blocks-later", {}, async () => [{ type: "image", data: "", mimeType: "image/png" }]),
    server.tool("blocks-by-input", { input }, ({ yes }) => [{ type: "text", text: yes ? "x" : "y" }]),
    server.tool("result", {}, () => ({ content: [{ type: "text", text: "x" }] })),
    server.tool("result-later", { input }, async ({ yes }) => ({
      content: [{ type: "text", text: "x" }],
      isError: yes,
    })),
    server.tool("text-or-result", { input }, ({ yes }) => {
      expectTypeOf(yes).toEqualTypeOf<boolean>();
      return yes ? "x" : { content: [{ type: "text", text: "x" }] };
    }),
    server.tool("nothing", {}, () => {}),
    server.tool("nothing-later", {}, async () => {}),
    // @ts-expect-error: there is no such block
    server.tool("bad-block", {}, () => [{ type: "txt", text: "x" }]),
    // @ts-expect-error: a value needs an output schema
    server.tool("bad-value", {}, async () => ({ sum: 7 })),
  ];
  expect(tools).toHaveLength(10);
});

test("a tool returns a value of its output schema as a literal", () => {
  const server = new McpServer(identity);
  const tools = [
    server.tool("choice", { output: kind }, () => ({ kind: "x" })),
    server.tool("choice-by-input", { input, output: kind }, ({ yes }) => ({ kind: yes ? "x" : "y" })),
    server.tool("choice-later", { input, output: kind }, async ({ yes }) => ({ kind: yes ? "x" : "y" })),
    server.tool("choices", { input, output: z.array(z.enum(["x", "y"])) }, ({ yes }) => [yes ? "x" : "y"]),
    server.tool("variant", { input, output: either }, ({ yes }) => (yes ? { type: "count", n: 1 } : { type: "none" })),
    server.tool("failure", { input, output: kind }, async ({ yes }) => {
      if (yes) return { content: [{ type: "text", text: "no" }], isError: true };
      return { kind: "x" };
    }),
    server.tool("json-schema", { output: { type: "object" } }, () => ({ anything: 4 })),
    // @ts-expect-error: not among the choices
    server.tool("bad-choice", { output: kind }, () => ({ kind: "z" })),
    // @ts-expect-error: without the value
    server.tool("bad-value", { output: kind }, async () => ({ other: "x" })),
    // @ts-expect-error: blocks are no value
    server.tool("bad-blocks", { output: kind }, () => [{ type: "text", text: "x" }]),
  ];
  expect(tools).toHaveLength(10);
});

test("prompts and resources return literals", () => {
  const server = new McpServer(identity);
  const name = "a";
  const registrations = [
    server.prompt("messages", {}, () => [{ role: "user", content: { type: "text", text: "x" } }]),
    server.prompt("result", { input: z.object({ a: z.string() }) }, async ({ a }) => ({
      messages: [{ role: "assistant", content: { type: "text", text: a } }],
    })),
    server.resource("a://text", { name }, () => ({ text: "x" })),
    server.resource("a://parts", { name }, async () => [{ text: "x" }, { blob: "" }]),
    server.resource("a://result", { name }, async () => ({ contents: [{ uri: "a://b", text: "x" }] })),
    server.resourceTemplate("a://{b}", { name }, ({ variables: { b } }) => (b === "c" ? { text: "x" } : undefined)),
    server.resourceTemplate("b://{b}", { name }, async ({ variables: { b } }) => (b === "c" ? "x" : null)),
  ];
  expect(registrations).toHaveLength(7);
});

test("the text of a template says which variables there are", () => {
  const server = new McpServer(identity);
  const name = "a";
  server.resourceTemplate("a://{id}/{+rest}", { name }, ({ variables }) => {
    expectTypeOf(variables.id).toEqualTypeOf<string>();
    expectTypeOf(variables.rest).toEqualTypeOf<string>();
    // @ts-expect-error: not in the template
    return variables.other;
  });
  server.resourceTemplate("a://{x,y}/{list*}{?q:3,many*}", { name }, ({ variables: { x, y, list, q, many } }) => {
    expectTypeOf(x).toEqualTypeOf<string>();
    expectTypeOf(y).toEqualTypeOf<string | undefined>();
    expectTypeOf(list).toEqualTypeOf<string[]>();
    expectTypeOf(q).toEqualTypeOf<string | undefined>();
    expectTypeOf(many).toEqualTypeOf<string[] | undefined>();
    return x;
  });
  const computed: string = "b://{id}";
  server.resourceTemplate(computed, { name }, ({ variables }) => {
    expectTypeOf(variables.id).toEqualTypeOf<string | string[] | undefined>();
    return "";
  });
});

test("a literal JSON Schema of a flat object says which arguments there are", () => {
  const server = new McpServer(identity);
  const properties = { a: { type: "string" }, n: { type: "integer" }, deep: { type: "object" } } as const;
  server.tool("literal", { input: { type: "object", properties, required: ["a"] } }, (args) => {
    expectTypeOf(args.a).toEqualTypeOf<string>();
    expectTypeOf(args.n).toEqualTypeOf<number | undefined>();
    // @ts-expect-error: not in the schema
    return args.other;
  });
  const choices = {
    color: { enum: ["red", "green"] },
    on: { const: true },
    tags: { type: "array", items: { type: "string" } },
  };
  server.tool(
    "written-out",
    {
      input: {
        type: "object",
        properties: {
          color: { enum: ["red", "green"] },
          on: { const: true },
          tags: { type: "array", items: { type: "string" } },
          odd: { anyOf: [{ type: "string" }, { type: "number" }] },
        },
        required: ["color", "on", "tags", "odd"],
      },
    },
    ({ color, on, tags, odd }) => {
      expectTypeOf(color).toEqualTypeOf<"red" | "green">();
      expectTypeOf(on).toEqualTypeOf<true>();
      expectTypeOf(tags).toEqualTypeOf<string[]>();
      expectTypeOf(odd).toEqualTypeOf<unknown>();
      return color;
    },
  );
  server.tool("not-literal", { input: { type: "object" as string, properties: choices } }, (args) => {
    expectTypeOf(args).toEqualTypeOf<JsonObject>();
    return "";
  });
  server.prompt("prompt", { input: { type: "object", properties: { a: { type: "string" } } } }, ({ a }) => {
    expectTypeOf(a).toEqualTypeOf<string | undefined>();
    return "";
  });
});

test("bytes stand where base64 does", () => {
  const server = new McpServer(identity);
  const data = new Uint8Array(1);
  server.tool("image", {}, () => [{ type: "image", data, mimeType: "image/png" }]);
  server.prompt("image", {}, () => [{ role: "user", content: { type: "audio", data, mimeType: "audio/wav" } }]);
  server.resource("a://blob", { name: "a" }, () => ({ contents: [{ uri: "a://blob", blob: data }] }));
  // @ts-expect-error: numbers are no bytes
  server.tool("wrong", {}, () => [{ type: "image", data: [1], mimeType: "image/png" }]);
});

test("a method of one's own returns a value of its result schema as a literal, on either side", () => {
  const server = new McpServer(identity);
  const client = new Client(identity);
  const method = defineMethod("acme/kind", { params: input, result: kind });
  server.handle(method, () => ({ kind: "x" }));
  server.handle(method, async ({ yes }) => ({ kind: yes ? "x" : "y" }));
  client.handle(method, ({ yes }) => ({ kind: yes ? "x" : "y" }));
  // @ts-expect-error: not among the choices
  server.handle(method, () => ({ kind: "z" }));
  // @ts-expect-error: not among the choices
  client.handle(method, async () => ({ kind: "z" }));
});

test("a round is spelled out with literals, constants too, and each kind of answer is told by its fields", () => {
  const requestedSchema = { type: "object", properties: { a: { type: "string" } }, required: ["a"] } as const;
  expectTypeOf(requestedSchema).toExtend<ElicitSchema>();
  const server = new McpServer(identity);
  const tool = server.tool("raw", {}, (_args, { inputResponses }) => {
    expectTypeOf(inputResponses).toEqualTypeOf<Readonly<InputResponses> | undefined>();
    const answer = inputResponses?.it;
    if (!answer) {
      return inputRequired({
        inputRequests: {
          it: { method: "elicitation/create", params: { message: "?", requestedSchema } },
          literal: {
            method: "elicitation/create",
            params: { message: "?", requestedSchema: { type: "object", properties: {}, required: ["a"] } },
          },
        },
      });
    }
    if ("action" in answer) return `${answer.content?.a}`;
    return "roots" in answer ? answer.roots.map(({ uri }) => uri).join() : answer.model;
  });
  expect(tool).toBeDefined();
});

test("a method that was taken off its context is not called", () => {
  const server = new McpServer(identity);
  server.tool("loose", {}, async (_args, { notify, once }) => {
    // @ts-expect-error: its context is lost
    await notify("acme/step");
    // @ts-expect-error: its context is lost
    return once("key", () => "value");
  });
});
