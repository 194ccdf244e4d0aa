import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import { defineForm, McpServer } from "parley-mcp/server";
import type { JsonObject, JsonSchema, Schema } from "parley-mcp/types";
import * as v from "valibot";
import { expect } from "vitest";
import { z } from "zod";
import { verifies } from "../../src/verifies.js";

const mustNotRun = (): never => {
  throw new Error("must not run");
};

/** A server that shows a form and tells what it made of the answer. */
function formServer(schema: Schema, onError?: (error: Error) => void): McpServer {
  const server = new McpServer({ name: "forms", version: "1.0.0", onError });
  server.tool("ask", {}, async (_args, context) => JSON.stringify(await context.elicit({ message: "?", schema })));
  return server;
}

const textOf = ({ content }: { content: readonly unknown[] }) => JSON.parse((content[0] as { text: string }).text);

verifies(
  "mcpserver:context:elicit",
  "each library's schema shows the same form, and the answer is what it yields: trimmed where it trims",
  async ({ connect }) => {
    const schemas = [
      z.object({ name: z.string().trim(), age: z.number() }),
      toStandardJsonSchema(v.object({ name: v.string(), age: v.number() })),
      type({ name: "string.trim", age: "number" }),
      {
        type: "object",
        properties: { name: { type: "string" }, age: { type: "number" } },
        required: ["name", "age"],
      } satisfies JsonSchema,
    ];
    const yielded: unknown[] = [];
    for (const schema of schemas) {
      const client = await connect(formServer(schema), {
        elicit: ({ requestedSchema }) => {
          expect(requestedSchema.properties).toEqual({ name: { type: "string" }, age: { type: "number" } });
          expect(requestedSchema.required?.toSorted()).toEqual(["age", "name"]);
          return { action: "accept", content: { name: " Ada ", age: 36 } };
        },
      });
      yielded.push(textOf(await client.callTool("ask")).content);
    }

    const [trimmed, asEntered] = [
      { name: "Ada", age: 36 },
      { name: " Ada ", age: 36 },
    ];
    expect(yielded).toEqual([trimmed, asEntered, trimmed, asEntered]);
  },
);

verifies(
  "elicitation:form:schema:primitives",
  "every keyword of a form arrives as it was written",
  async ({ connect }) => {
    const properties = {
      name: { type: "string", title: "Name", description: "In full", minLength: 3, maxLength: 50, default: "Ada" },
      share: { type: "number", title: "Share", description: "0 to 1", minimum: 0, maximum: 1, default: 0.5 },
      seats: { type: "integer", title: "Seats", description: "Rows of 4", minimum: 1, maximum: 100, default: 4 },
      window: { type: "boolean", title: "Window", description: "If free", default: false },
    };
    const shown: unknown[] = [];
    const client = await connect(formServer({ type: "object", properties, required: ["name", "seats"] }), {
      elicit: ({ requestedSchema }) => {
        shown.push(requestedSchema);
        return { action: "accept", content: { name: "Grace", share: 1, seats: 2, window: true } };
      },
    });

    const answer = textOf(await client.callTool("ask"));

    expect(shown).toEqual([{ type: "object", properties, required: ["name", "seats"] }]);
    expect(answer).toEqual({ action: "accept", content: { name: "Grace", share: 1, seats: 2, window: true } });
  },
);

const formats = [
  ["email", "ada@example.com", "ada at example"],
  ["uri", "https://example.com/a", "not a uri"],
  ["date", "2026-07-28", "28.07.2026"],
  ["date-time", "2026-07-28T10:00:00Z", "yesterday"],
] as const;

verifies(
  "elicitation:form:schema:formats",
  "each format is in the form, a value that has the format passes, and one that has not is refused",
  async ({ connect, era }) => {
    for (const [format, right, wrong] of formats) {
      const properties = { value: { type: "string", format } };
      let entered: string = right;
      const client = await connect(
        formServer({ type: "object", properties }, () => undefined),
        {
          elicit: ({ requestedSchema }) => {
            expect(requestedSchema.properties).toEqual(properties);
            return { action: "accept", content: { value: entered } };
          },
          onError: () => undefined,
        },
      );

      expect(textOf(await client.callTool("ask")).content).toEqual({ value: right });
      entered = wrong;
      const refusal = era === "modern" ? { code: "invalid-argument" } : { isError: true };
      expect(await client.callTool("ask").catch((error: unknown) => error), format).toMatchObject(refusal);
    }
  },
);

const titled = [
  { const: "#f00", title: "Red" },
  { const: "#0f0", title: "Green" },
];

verifies(
  "elicitation:form:schema:enum-variants",
  "all five ways to write a choice arrive as written, and the chosen values come back",
  async ({ connect }) => {
    const properties = {
      plain: { type: "string", title: "Color", description: "Yours", enum: ["red", "green"], default: "red" },
      titled: { type: "string", title: "Color", oneOf: titled, default: "#f00" },
      named: { type: "string", enum: ["r", "g"], enumNames: ["Red", "Green"] },
      several: {
        type: "array",
        title: "Colors",
        description: "Some",
        minItems: 1,
        maxItems: 2,
        items: { type: "string", enum: ["red", "green", "blue"] },
        default: ["red"],
      },
      severalTitled: { type: "array", items: { anyOf: titled }, minItems: 1 },
    };
    const chosen = {
      plain: "green",
      titled: "#0f0",
      named: "g",
      several: ["red", "blue"],
      severalTitled: ["#f00", "#0f0"],
    };
    const client = await connect(formServer({ type: "object", properties }), {
      elicit: ({ requestedSchema }) => {
        expect(requestedSchema).toEqual({ type: "object", properties });
        return { action: "accept", content: chosen };
      },
    });

    expect(textOf(await client.callTool("ask"))).toEqual({ action: "accept", content: chosen });
  },
);

verifies(
  "elicitation:form:schema:enum-downgrade",
  "titled choices go out as enumNames without defaults, and a choice of several is refused",
  async ({ connect }) => {
    const reported: Error[] = [];
    const one = { type: "string", title: "Color", oneOf: titled, default: "#f00" };
    const client = await connect(formServer({ type: "object", properties: { one } }), {
      elicit: ({ requestedSchema }) => {
        const shown = { type: "string", title: "Color", enum: ["#f00", "#0f0"], enumNames: ["Red", "Green"] };
        expect(requestedSchema).toEqual({ type: "object", properties: { one: shown } });
        return { action: "accept", content: { one: "#0f0" } };
      },
    });
    const several = { type: "array", items: { anyOf: titled } };
    const refused = await connect(
      formServer({ type: "object", properties: { several } }, (error) => reported.push(error)),
      { elicit: mustNotRun },
    );

    expect(textOf(await client.callTool("ask"))).toEqual({ action: "accept", content: { one: "#0f0" } });
    expect(await refused.callTool("ask")).toMatchObject({ isError: true });
    expect(reported).toMatchObject([{ cause: { code: "invalid-argument", message: /several.*2025-11-25/ } }]);
  },
);

verifies(
  "elicitation:form:schema:restricted-subset",
  "each field with nesting, arrays of objects or anyOf is refused with its path, and nothing is asked",
  async ({ connect, wire }) => {
    const text = { type: "string" };
    const fields: Record<string, JsonObject> = {
      nested: { type: "object", properties: { street: text } },
      objects: { type: "array", items: { type: "object", properties: { street: text } } },
      texts: { type: "array", items: text },
      either: { anyOf: [text, { type: "number" }] },
      nullable: { type: ["string", "null"] },
      elsewhere: { $ref: "#/$defs/text" },
    };
    for (const [name, field] of Object.entries(fields)) {
      const reported: Error[] = [];
      const schema = { type: "object", properties: { fine: text, [name]: field }, $defs: { text } };
      const client = await connect(
        formServer(schema, (error) => reported.push(error)),
        { elicit: mustNotRun },
      );

      expect(await client.callTool("ask")).toMatchObject({ isError: true });

      const cause = { code: "invalid-argument", message: expect.stringContaining(`schema.${name}`) };
      expect(reported).toMatchObject([{ cause }]);
    }
    expect(JSON.stringify(wire.from("server"))).not.toContain("elicitation/create");
  },
);

verifies(
  "elicitation:form:schema:as-written",
  "patterns, steps, titles and unknown keywords of a form arrive as written",
  async ({ connect }) => {
    const schema = {
      type: "object",
      title: "Booking",
      properties: {
        code: { type: "string", title: "Code", pattern: "^[A-Z]{3}$", "x-hint": "on the ticket" },
        price: { type: "number", multipleOf: 0.5, exclusiveMinimum: 0, minimum: 0 },
      },
      required: ["code"],
      additionalProperties: false,
    };
    const shown: unknown[] = [];
    const client = await connect(formServer(schema), {
      elicit: ({ requestedSchema }) => {
        shown.push(requestedSchema);
        return { action: "accept", content: { code: "ABC", price: 2 } };
      },
    });

    const answer = textOf(await client.callTool("ask"));

    expect(shown).toEqual([schema]);
    expect(answer.content).toEqual({ code: "ABC", price: 2 });
  },
);

verifies(
  "elicitation:form:schema:defined",
  "defineForm refuses a schema that a form cannot show, with the path of the field",
  () => {
    const form = { type: "object", properties: { a: { type: "string" } } } satisfies JsonSchema;
    expect(defineForm(form)).toBe(form);
    const message = expect.stringContaining("schema.address: a form has no nested objects");
    expect(() => defineForm(z.object({ address: z.object({ street: z.string() }) }))).toThrow(
      expect.objectContaining({ code: "invalid-argument", message }),
    );
  },
);

verifies(
  "elicitation:form:schema:unusable",
  "a form that cannot be checked is refused with -32602, and no handler of the client is asked",
  async ({ openServer, era }) => {
    const requestedSchema = { type: "object", properties: { odd: { type: "no-such-type" } } };
    const { peer, client } = await openServer({ tools: {} }, { elicit: mustNotRun });
    const params = { mode: "form", message: "?", requestedSchema };
    const refusal = { code: -32602, message: expect.stringContaining("params.requestedSchema: ") };

    if (era === "legacy") {
      expect(await peer.request(1, "elicitation/create", params)).toMatchObject({ id: 1, error: refusal });
    } else {
      const calling = client.callTool("ask");
      const inputRequests = { it: { method: "elicitation/create", params } };
      await peer.respond(await peer.receive(), { resultType: "input_required", inputRequests });
      await expect(calling).rejects.toMatchObject(refusal);
    }
  },
);

verifies(
  "elicitation:form:schema:lenient-on-receipt",
  "a form with fields that the specification does not allow reaches the client's handler, and its answer goes back",
  async ({ openServer, era }) => {
    const requestedSchema = {
      type: "object",
      properties: {
        address: { type: "object", properties: { street: { type: "string" } } },
        size: { anyOf: [{ type: "number" }, { type: "null" }] },
        odd: { type: ["string", "array"], items: { type: "object" } },
      },
    };
    const seen: unknown[] = [];
    const { peer, client } = await openServer(
      { tools: {} },
      {
        elicit: (params) => {
          seen.push(params.requestedSchema);
          return { action: "accept", content: { size: 3 } };
        },
      },
    );
    const params = { mode: "form", message: "?", requestedSchema };

    if (era === "legacy") {
      const answer = await peer.request(1, "elicitation/create", params);
      expect(answer).toMatchObject({ id: 1, result: { action: "accept", content: { size: 3 } } });
    } else {
      const calling = client.callTool("ask");
      const inputRequests = { it: { method: "elicitation/create", params } };
      await peer.respond(await peer.receive(), { resultType: "input_required", inputRequests });
      const retry = await peer.receive();
      expect(retry.params).toMatchObject({ inputResponses: { it: { action: "accept", content: { size: 3 } } } });
      await peer.respond(retry, { resultType: "complete", content: [] });
      await calling;
    }
    expect(seen).toEqual([requestedSchema]);
  },
);

verifies(
  "elicitation:form:defaults",
  "a client fills in the defaults of an accepted form where fields are missing, before the answer is sent",
  async ({ connect, wire }) => {
    const schema = {
      type: "object",
      properties: {
        name: { type: "string", default: "Ada" },
        seats: { type: "integer", default: 4 },
        window: { type: "boolean", default: true },
        meal: { type: "string", enum: ["meat", "fish"], default: "fish" },
        extras: { type: "array", items: { type: "string", enum: ["wifi", "bag"] }, default: ["bag"] },
        note: { type: "string" },
      },
      required: ["name", "seats"],
    } satisfies JsonSchema;
    const client = await connect(formServer(schema), {
      elicit: () => ({ action: "accept", content: { seats: 0, window: false } }),
    });

    const filled = { seats: 0, window: false, name: "Ada", meal: "fish", extras: ["bag"] };
    expect(textOf(await client.callTool("ask"))).toEqual({ action: "accept", content: filled });
    const sent = JSON.stringify(wire.from("client"));
    expect(sent).toContain('"meal":"fish"');
    expect(sent).not.toContain('"note"');
  },
);
