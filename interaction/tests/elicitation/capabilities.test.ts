import type { ClientOptions } from "parley-mcp/client";
import { McpServer } from "parley-mcp/server";
import type { JsonObject } from "parley-mcp/types";
import { expect } from "vitest";
import { verifies } from "../../src/verifies.js";

const FORM = { type: "object", properties: { ok: { type: "boolean" } } } as const;
const PAGE = "https://example.com/consent";
const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";

const mustNotRun = (): never => {
  throw new Error("must not run");
};

/** A server with a tool for each mode, which tells how the question went. */
function askingServer(): McpServer {
  const server = new McpServer({ name: "curious", version: "1.0.0" });
  server.tool("form", {}, async (_args, context) => {
    const { action } = await context.elicit({ message: "OK?", schema: FORM });
    return action;
  });
  server.tool("page", {}, async (_args, context) => {
    const { action } = await context.elicit({ message: "OK?", url: PAGE });
    return action;
  });
  return server;
}

verifies(
  "elicitation:capability:declared",
  "a client declares a mode of elicitation for each handler that it has, in the handshake or with every request",
  async ({ connect, wire, era }) => {
    const elicit = () => ({ action: "cancel" }) as const;
    const declared = async (handlers: Partial<ClientOptions>) => {
      const client = await connect(askingServer(), handlers);
      await client.listTools();
      const params = wire.connections.at(-1)?.entries.flatMap(({ from, message }) => {
        const isCarrier =
          from === "client" && "method" in message && (era === "modern" || message.method === "initialize");
        return isCarrier ? [message.params as { capabilities: JsonObject; _meta?: JsonObject }] : [];
      });
      return params?.map(({ capabilities, _meta }) => (era === "modern" ? _meta?.[CAPABILITIES] : capabilities));
    };
    const each = (capabilities: object) => (era === "modern" ? [capabilities, capabilities] : [capabilities]);

    expect(await declared({})).toEqual(each({}));
    expect(await declared({ elicit })).toEqual(each({ elicitation: { form: {} } }));
    expect(await declared({ elicitUrl: elicit })).toEqual(each({ elicitation: { url: {} } }));
    expect(await declared({ elicit, elicitUrl: elicit })).toEqual(each({ elicitation: { form: {}, url: {} } }));
  },
);

verifies(
  "elicitation:capability:empty-is-form",
  "a client that declares elicitation without modes is asked by forms, and a page to open is refused",
  async ({ connect, era }) => {
    const client = await connect(askingServer(), {
      capabilities: { elicitation: {} },
      elicit: () => ({ action: "decline" }),
      elicitUrl: mustNotRun,
    });

    expect(await client.callTool("form")).toMatchObject({ content: [{ text: "decline" }] });
    await expect(client.callTool("page")).rejects.toMatchObject({
      code: era === "modern" ? -32021 : -32602,
      data: { requiredCapabilities: { elicitation: { url: {} } } },
    });
  },
);

verifies(
  "elicitation:capability:not-declared",
  "a question for a modern client without elicitation is -32021 and names the missing mode",
  async ({ connect, wire }) => {
    const client = await connect(askingServer());

    await expect(client.callTool("form")).rejects.toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { elicitation: { form: {} } } },
    });
    await expect(client.callTool("page")).rejects.toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { elicitation: { url: {} } } },
    });

    expect(JSON.stringify(wire.from("server"))).not.toContain("elicitation/create");
  },
);

verifies(
  "elicitation:capability:not-declared-legacy",
  "a question for a legacy client without elicitation is -32602 and names the missing mode, and no request goes out",
  async ({ connect, wire }) => {
    const client = await connect(askingServer());

    await expect(client.callTool("form")).rejects.toMatchObject({
      code: -32602,
      data: { requiredCapabilities: { elicitation: { form: {} } } },
    });

    expect(wire.methods("server")).toEqual([]);
  },
);

verifies(
  "elicitation:capability:server-respects-mode",
  "each client is asked in its own mode, and the other is refused before anything is sent",
  async ({ connect, era, wire }) => {
    const server = askingServer();
    const forForms = await connect(server, { elicit: () => ({ action: "accept", content: { ok: true } }) });
    const forPages = await connect(server, { elicitUrl: () => ({ action: "accept" }) });
    const code = era === "modern" ? -32021 : -32602;

    expect(await forForms.callTool("form")).toMatchObject({ content: [{ text: "accept" }] });
    expect(await forPages.callTool("page")).toMatchObject({ content: [{ text: "accept" }] });
    const asked = JSON.stringify(wire.from("server")).split("elicitation/create").length;
    await expect(forForms.callTool("page")).rejects.toMatchObject({ code });
    await expect(forPages.callTool("form")).rejects.toMatchObject({ code });

    expect(JSON.stringify(wire.from("server")).split("elicitation/create")).toHaveLength(asked);
  },
);

verifies(
  "elicitation:capability:mode-mismatch",
  "a client answers a question in a mode without a handler with -32602, and runs no other handler",
  async ({ openServer }) => {
    const form = { mode: "form", message: "OK?", requestedSchema: FORM };
    const page = { mode: "url", message: "OK?", url: PAGE, elicitationId: "1" };
    const { peer: toForms } = await openServer({}, { elicit: mustNotRun });
    const { peer: toPages } = await openServer({}, { elicitUrl: mustNotRun });

    expect(await toForms.request(1, "elicitation/create", page)).toMatchObject({ id: 1, error: { code: -32602 } });
    expect(await toPages.request(1, "elicitation/create", form)).toMatchObject({ id: 1, error: { code: -32602 } });
  },
);

verifies(
  "elicitation:form:not-supported",
  "a client without handlers answers elicitation/create with -32602, and a later call works",
  async ({ openServer }) => {
    const { peer, client } = await openServer({ tools: {} });

    const refusal = await peer.request(1, "elicitation/create", { message: "OK?", requestedSchema: FORM });
    expect(refusal).toMatchObject({ id: 1, error: { code: -32602, message: expect.stringContaining("elicitation") } });

    const calling = client.callTool("go-on");
    await peer.respond(await peer.receive(), { content: [] });
    expect(await calling).toMatchObject({ content: [] });
  },
);

verifies(
  "elicitation:capability:before-elicitation",
  "a call that asks in a revision without elicitation is -32602 with the missing capability, and the client hears nothing",
  async ({ connect, wire }) => {
    const client = await connect(askingServer(), { elicit: mustNotRun });

    await expect(client.callTool("form")).rejects.toMatchObject({
      code: -32602,
      data: { requiredCapabilities: { elicitation: { form: {} } } },
    });

    expect(wire.methods("server")).toEqual([]);
  },
);

verifies(
  "elicitation:url:before-url-mode",
  "a form is asked before 2025-11-25, and a page to open is -32602 with the missing capability",
  async ({ connect, wire }) => {
    const client = await connect(askingServer(), { elicit: () => ({ action: "cancel" }), elicitUrl: mustNotRun });

    expect(await client.callTool("form")).toMatchObject({ content: [{ text: "cancel" }] });
    await expect(client.callTool("page")).rejects.toMatchObject({
      code: -32602,
      data: { requiredCapabilities: { elicitation: { url: {} } } },
    });

    expect(wire.methods("server")).toEqual(["elicitation/create"]);
  },
);
