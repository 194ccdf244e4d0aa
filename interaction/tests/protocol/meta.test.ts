import { McpServer } from "parley-mcp/server";
import { expect } from "vitest";
import { verifies } from "../../src/verifies.js";

const SERVER_INFO = "io.modelcontextprotocol/serverInfo";

const unused = (): never => {
  throw new Error("nothing uses it");
};

verifies("meta:request-to-handler", "the caller's _meta reaches every kind of handler", async ({ connect }) => {
  const seen: unknown[] = [];
  const server = new McpServer({ name: "reader", version: "1.0.0" });
  server.tool("read", {}, (_args, { meta }) => `${seen.push(meta["com.example/trace"])}`);
  server.resource("read://it", { name: "it" }, (_request, { meta }) => `${seen.push(meta["com.example/trace"])}`);
  server.prompt("read", {}, (_args, { meta }) => `${seen.push(meta["com.example/trace"])}`);
  server.handle("acme/read", (_params, { meta }) => ({ count: seen.push(meta["com.example/trace"]) }));
  const client = await connect(server);

  const trace = { span: [1, 2], nothing: null };
  const meta = { "com.example/trace": trace, "": "an empty name is a name" };
  await client.callTool("read", {}, { meta });
  await client.readResource("read://it", { meta });
  await client.getPrompt("read", {}, { meta });
  await client.request("acme/read", { _meta: meta });
  await client.callTool("read");

  expect(seen).toEqual([trace, trace, trace, trace, undefined]);
});

verifies("meta:result-to-client", "the _meta of every kind of result reaches the caller", async ({ connect }) => {
  const _meta = { "com.example/cost": { tokens: [3, 5] }, plain: false };
  const server = new McpServer({ name: "meter", version: "1.0.0" });
  server.tool("spend", {}, () => ({ content: [], _meta }));
  server.resource("meter://spent", { name: "spent" }, () => ({
    contents: [{ uri: "meter://spent", text: "3" }],
    _meta,
  }));
  server.prompt("spend", {}, () => ({ messages: [], _meta }));
  server.handle("acme/spend", () => ({ _meta }));
  const client = await connect(server);

  const results = [
    await client.callTool("spend"),
    await client.readResource("meter://spent"),
    await client.getPrompt("spend"),
    await client.request("acme/spend"),
  ];

  for (const result of results) expect(result._meta).toMatchObject(_meta);
});

verifies(
  "meta:on-definitions",
  "the _meta of tools, resources, templates and prompts is listed member by member",
  async ({ connect }) => {
    const meta = { "com.example/owner": { team: ["a", "b"] }, empty: null };
    const server = new McpServer({ name: "owned", version: "1.0.0" });
    server.tool("tool", { meta }, unused);
    server.resource("owned://one", { name: "one", meta }, unused);
    server.resourceTemplate("owned://many/{any}", { name: "many", meta }, unused);
    server.prompt("prompt", { meta }, unused);
    const client = await connect(server);

    const { tools } = await client.listTools();
    const { resources } = await client.listResources();
    const { resourceTemplates } = await client.listResourceTemplates();
    const { prompts } = await client.listPrompts();

    const listed = [...tools, ...resources, ...resourceTemplates, ...prompts];
    expect(listed.map(({ _meta }) => _meta)).toEqual([meta, meta, meta, meta]);
  },
);

verifies("meta:trace-context", "the three keys of trace context reach the handler untouched", async ({ connect }) => {
  const server = new McpServer({ name: "traced", version: "1.0.0" });
  server.handle("acme/trace", (_params, { meta: { traceparent, tracestate, baggage } }) => ({
    seen: { traceparent, tracestate, baggage },
  }));
  const client = await connect(server);

  const trace = {
    traceparent: "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01",
    tracestate: "vendor=opaque,other=t61rcWkgMzE",
    baggage: "user=ada%20l,empty=;property",
  };
  const { seen } = await client.request("acme/trace", { _meta: trace });

  expect(seen).toEqual(trace);
});

verifies(
  "meta:server-info-on-results",
  "every result on the wire names the server, beside the handler's own keys",
  async ({ connect, wire }) => {
    const server = new McpServer({ name: "meter", version: "1.2.3", title: "The meter" });
    server.tool("spend", {}, () => ({ content: [], _meta: { "com.example/cost": 3 } }));
    server.handle("acme/plain", () => ({}));
    const client = await connect(server);

    await client.listTools();
    await client.callTool("spend");
    await client.request("acme/plain");

    const results = wire.from("server").map((message) => ("result" in message ? message.result._meta : message));
    const named = { [SERVER_INFO]: { name: "meter", version: "1.2.3", title: "The meter" } };
    expect(results).toEqual([named, named, { ...named, "com.example/cost": 3 }, named]);
  },
);

verifies(
  "meta:client-info-optional",
  "a request that does not say who asks is served, and its handler sees nobody",
  async ({ openClient, params }) => {
    const server = new McpServer({ name: "curious", version: "1.0.0" });
    server.tool("who", {}, (_args, { clientInfo }) => (clientInfo === undefined ? "nobody" : clientInfo.name));
    const peer = await openClient(server);
    const anonymous = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
    };

    const named = await peer.request(1, "tools/call", params({ name: "who" }));
    const unnamed = await peer.request(2, "tools/call", { name: "who", _meta: anonymous });

    expect(named).toMatchObject({ id: 1, result: { content: [{ type: "text", text: "scripted-client" }] } });
    expect(unnamed).toMatchObject({ id: 2, result: { content: [{ type: "text", text: "nobody" }] } });
  },
);

verifies("meta:result-type", "every result on the wire says that it is complete", async ({ connect, wire }) => {
  const server = new McpServer({ name: "complete", version: "1.0.0" });
  const complete = { name: () => ["Ada"] };
  server.tool("greet", {}, () => "hello");
  server.resourceTemplate("greet://{name}", { name: "greeting", complete }, () => "hello");
  server.prompt("greet", {}, () => "hello");
  server.handle("acme/greet", () => ({ hello: true }));
  const client = await connect(server);

  await client.listTools();
  await client.callTool("greet");
  await client.listResources();
  await client.listResourceTemplates();
  await client.readResource("greet://ada");
  await client.listPrompts();
  await client.getPrompt("greet");
  await client.complete({
    ref: { type: "ref/resource", uri: "greet://{name}" },
    argument: { name: "name", value: "" },
  });
  await client.request("acme/greet");

  const kinds = wire.from("server").map((message) => ("result" in message ? message.result.resultType : message));
  expect(wire.methods("client")[0]).toBe("server/discover");
  expect(kinds).toEqual(Array.from({ length: 10 }, () => "complete"));
});

verifies(
  "meta:keys:results",
  "a wrong _meta key does not leave a server in a result, its blocks, messages and contents, or in a definition",
  async ({ connect }) => {
    const _meta = { "com.example/fine": 1, "no spaces/x": 2 };
    const makers: [make: (server: McpServer) => void, call: string, where: string][] = [
      [(server) => server.tool("t", {}, () => ({ content: [], _meta })), "tools/call", "result._meta"],
      [
        (server) => server.tool("t", {}, () => [{ type: "text", text: "", _meta }]),
        "tools/call",
        "result.content[0]._meta",
      ],
      [
        (server) => server.prompt("t", {}, () => [{ role: "user", content: { type: "text", text: "", _meta } }]),
        "prompts/get",
        "result.messages[0].content._meta",
      ],
      [
        (server) => server.resource("a://t", { name: "t" }, () => ({ text: "", _meta })),
        "resources/read",
        "result.contents[0]._meta",
      ],
      [(server) => server.handle("acme/own", () => ({ _meta })), "acme/own", "result._meta"],
    ];
    for (const [make, method, where] of makers) {
      const reports: string[] = [];
      const server = new McpServer({
        name: "meta",
        version: "1.0.0",
        onError: (error) => reports.push(`${error.cause}`),
      });
      make(server);
      const client = await connect(server);

      const params = { name: "t", uri: "a://t" };
      const answer = await client.request(method, params).catch((error: unknown) => error);

      expect(answer).toMatchObject(method === "tools/call" ? { isError: true } : { code: -32603 });
      expect(reports).toEqual([expect.stringContaining(`${where}["no spaces/x"]: expected a key such as`)]);
    }
    const server = new McpServer({ name: "meta", version: "1.0.0" });
    const refused = expect.objectContaining({
      code: "invalid-argument",
      message: expect.stringContaining("no spaces/x"),
    });
    expect(() => server.tool("t", { meta: _meta }, unused)).toThrow(refused);
    expect(() => server.resource("a://t", { name: "t", meta: _meta }, unused)).toThrow(refused);
  },
);

verifies(
  "meta:keys:requests",
  "a wrong _meta key is refused where it is sent, by a caller and by a handler",
  async ({ connect }) => {
    const refused = { code: "invalid-argument", message: expect.stringContaining('_meta["-x"]') };
    const server = new McpServer({ name: "meta", version: "1.0.0" });
    server.tool("tell", {}, (_args, context) =>
      context.notify("acme/told", { _meta: { "-x": 1 } }).then(
        () => "sent",
        (error: unknown) => JSON.stringify(error),
      ),
    );
    const client = await connect(server);

    await expect(client.callTool("tell", {}, { meta: { "-x": 1 } })).rejects.toMatchObject(refused);
    await expect(client.notify("acme/heard", { _meta: { "-x": 1 } })).rejects.toMatchObject(refused);
    expect((await client.callTool("tell")).content).toMatchObject([
      { text: expect.stringContaining("invalid-argument") },
    ]);
  },
);

verifies(
  "meta:keys:received",
  "a request with a wrong _meta key is served, and its handler sees the key",
  async ({ openClient, params }) => {
    const server = new McpServer({ name: "lenient", version: "1.0.0" });
    server.tool("read", {}, (_args, { meta }) => `${meta["no name!"]}`);
    const peer = await openClient(server);

    const { _meta } = params({}) as { _meta?: object };
    const answer = await peer.request(1, "tools/call", { name: "read", _meta: { ..._meta, "no name!": "seen" } });

    expect(answer).toMatchObject({ id: 1, result: { content: [{ type: "text", text: "seen" }] } });
  },
);
