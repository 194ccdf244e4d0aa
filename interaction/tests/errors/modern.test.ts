import { McpServer } from "parley-mcp/server";
import { expect } from "vitest";
import { verifies } from "../../src/verifies.js";

const REVISION = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
const CLIENT_INFO = "io.modelcontextprotocol/clientInfo";
const LOG_LEVEL = "io.modelcontextprotocol/logLevel";

const mustNotRun = (): never => {
  throw new Error("must not run");
};

verifies(
  "errors:modern:missing-meta",
  "a request without revision or capabilities is -32602, whether or not the server also speaks legacy",
  async ({ playClient }) => {
    const both = new McpServer({ name: "both", version: "1.0.0" });
    const modern = new McpServer({ name: "modern", version: "1.0.0", revisions: ["2026-07-28"] });
    const clientInfo = { name: "scripted", version: "0.0.0" };
    const incomplete = [
      {},
      { _meta: {} },
      { _meta: { [REVISION]: "2026-07-28", [CLIENT_INFO]: clientInfo } },
      { _meta: { [CAPABILITIES]: {}, [CLIENT_INFO]: clientInfo } },
    ];

    for (const server of [both, modern]) {
      server.tool("run", {}, mustNotRun);
      const peer = await playClient(server);
      for (const [index, params] of incomplete.entries()) {
        const answer = await peer.request(index, "tools/call", { name: "run", ...params });
        expect(answer).toMatchObject({ id: index, error: { code: -32602, message: expect.stringContaining("_meta") } });
      }
    }
  },
);

verifies(
  "errors:modern:ill-typed-meta",
  "an envelope key of the wrong type is -32602 and named",
  async ({ playClient, params }) => {
    const server = new McpServer({ name: "strict", version: "1.0.0" });
    server.tool("run", {}, mustNotRun);
    const peer = await playClient(server);

    const wrong = [
      [REVISION, 20260728],
      [REVISION, null],
      [CAPABILITIES, "all"],
      [CAPABILITIES, []],
      [CAPABILITIES, { sampling: true }],
      [CLIENT_INFO, "me"],
      [CLIENT_INFO, { name: "no version" }],
      [LOG_LEVEL, 7],
      [LOG_LEVEL, "loud"],
      ["progressToken", {}],
    ] as const;
    for (const [index, [key, value]] of wrong.entries()) {
      const answer = await peer.request(index, "tools/call", params({ name: "run", _meta: { [key]: value } }));
      const error = { code: -32602, message: expect.stringContaining(key) };
      expect(answer, `${key}: ${JSON.stringify(value)}`).toMatchObject({ id: index, error });
    }
  },
);

verifies(
  "errors:modern:unsupported-revision",
  "an unknown revision is answered with what was asked for and what is spoken",
  async ({ playClient, params }) => {
    const server = new McpServer({ name: "current", version: "1.0.0", revisions: ["2026-07-28", "2025-11-25"] });
    server.tool("run", {}, mustNotRun);
    const peer = await playClient(server);

    const unknown = { [REVISION]: "1900-01-01" };
    const discovery = await peer.request(1, "server/discover", params({ _meta: unknown }));
    const call = await peer.request(2, "tools/call", params({ name: "run", _meta: unknown }));

    const data = { requested: "1900-01-01", supported: ["2026-07-28", "2025-11-25"] };
    expect(discovery).toMatchObject({ id: 1, error: { code: -32022, data } });
    expect(call).toMatchObject({ id: 2, error: { code: -32022, data } });
  },
);

verifies(
  "errors:modern:supported-list",
  "an unknown revision is refused with all revisions of the server, and a legacy one with the modern ones alone",
  async ({ playClient, params }) => {
    const server = new McpServer({
      name: "some",
      version: "1.0.0",
      revisions: ["2026-07-28", "2025-11-25", "2025-06-18"],
    });
    const peer = await playClient(server);

    const ask = async (requested: string) => {
      const answer = await peer.request(requested, "server/discover", params({ _meta: { [REVISION]: requested } }));
      return answer.error;
    };

    const all = ["2026-07-28", "2025-11-25", "2025-06-18"];
    for (const [requested, supported] of [
      ["2099-01-01", all],
      ["2025-06-18", ["2026-07-28"]],
      ["2025-11-25", ["2026-07-28"]],
      ["2024-11-05", all],
    ] as const) {
      expect(await ask(requested)).toMatchObject({ code: -32022, data: { requested, supported } });
    }
  },
);

verifies(
  "errors:legacy:missing-client-capability",
  "a handler that needs what the client did not declare is -32602 with what is missing",
  async ({ connect }) => {
    const server = new McpServer({ name: "needy", version: "1.0.0" });
    server.tool("ask", {}, (_args, context) => {
      context.requireCapabilities({ sampling: {}, roots: { listChanged: true }, experimental: { x: {} } });
      return "asked";
    });
    const partly = await connect(server, { capabilities: { roots: {}, experimental: { x: {} } } });
    const fully = await connect(server, {
      capabilities: { sampling: {}, roots: { listChanged: true }, experimental: { x: {} } },
    });

    await expect(partly.callTool("ask")).rejects.toMatchObject({
      name: "ProtocolError",
      code: -32602,
      message: expect.stringContaining("sampling"),
      data: { requiredCapabilities: { sampling: {}, roots: { listChanged: true } } },
    });
    expect((await fully.callTool("ask")).content).toEqual([{ type: "text", text: "asked" }]);
  },
);

verifies(
  "errors:modern:missing-client-capability",
  "a handler that needs what the request did not declare is -32021 with what is missing",
  async ({ connect }) => {
    const server = new McpServer({ name: "needy", version: "1.0.0" });
    server.tool("ask", {}, (_args, context) => {
      context.requireCapabilities({ sampling: {}, elicitation: { url: {} }, experimental: { x: {} } });
      return "asked";
    });
    const partly = await connect(server, { capabilities: { elicitation: { form: {} }, experimental: { x: {} } } });
    const fully = await connect(server, {
      capabilities: { sampling: {}, elicitation: { url: {} }, experimental: { x: {} } },
    });

    await expect(partly.callTool("ask")).rejects.toMatchObject({
      name: "ProtocolError",
      code: -32021,
      message: expect.stringContaining("sampling"),
      data: { requiredCapabilities: { sampling: {}, elicitation: { url: {} } } },
    });
    expect((await fully.callTool("ask")).content).toEqual([{ type: "text", text: "asked" }]);
  },
);

verifies(
  "errors:modern:check-order",
  "the first of several faults is answered: _meta, revision, method, params, capability",
  async ({ playClient, params }) => {
    const server = new McpServer({ name: "strict", version: "1.0.0" });
    server.tool("ask", {}, (_args, context) => {
      context.requireCapabilities({ sampling: {} });
      return "asked";
    });
    const peer = await playClient(server);

    const unspoken = { [REVISION]: "1900-01-01" };
    const requests = [
      ["prompts/list", { cursor: 7, _meta: { ...unspoken, [CAPABILITIES]: 7 } }, -32602, CAPABILITIES],
      ["prompts/list", { cursor: 7, _meta: unspoken }, -32022, "1900-01-01"],
      ["prompts/list", { cursor: 7 }, -32601, "prompts/list"],
      ["tools/call", { name: "ask", arguments: 7 }, -32602, "params.arguments"],
      ["tools/call", { name: "ask" }, -32021, "sampling"],
    ] as const;
    for (const [index, [method, own, code, named]] of requests.entries()) {
      const answer = await peer.request(index, method, params({ ...own }));
      expect(answer).toMatchObject({ id: index, error: { code, message: expect.stringContaining(named) } });
    }
  },
);
