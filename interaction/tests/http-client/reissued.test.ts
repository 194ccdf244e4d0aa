import { expect } from "vitest";
import { connectModern, RawHttpServer } from "../../src/http/raw-http-server.js";
import { verifies } from "../../src/verifies.js";

const hints = { resultType: "complete", ttlMs: 0, cacheScope: "private" };
const CALLED = { resultType: "complete", content: [{ type: "text", text: "done" }] };
const TOOLS = [
  { name: "look", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } },
  { name: "put", inputSchema: { type: "object" }, annotations: { idempotentHint: true } },
  { name: "pay", inputSchema: { type: "object" }, annotations: { idempotentHint: false } },
];

verifies(
  "client-transport:http:reissued",
  "a list and a read are sent again under another id, and the second break reaches the caller",
  async () => {
    await using server = await RawHttpServer.start();
    const { client, errors } = await connectModern(server);
    const listed = client.listTools({ id: "mine" });
    const first = await server.next();
    first.stream();
    first.reset();
    const second = await server.next();
    expect([first.message?.id, second.message?.method]).toEqual(["mine", "tools/list"]);
    expect(second.message?.id).not.toBe("mine");
    second.result({ ...hints, tools: TOOLS });
    expect((await listed).tools).toEqual(TOOLS);

    const read = client.readResource("x://y").catch((error: unknown) => error);
    for (let time = 0; time < 2; time += 1) {
      const call = await server.next();
      call.stream();
      call.end();
    }
    expect(await read).toMatchObject({ code: "stream-ended" });
    await client.close();
    expect(errors).toEqual([]);
  },
);

verifies(
  "client-transport:http:reissued-calls",
  "a call is sent again if its tool is annotated as repeatable or its caller says so, and only then",
  async () => {
    await using server = await RawHttpServer.start();
    const { client } = await connectModern(server);
    const listed = client.listTools();
    (await server.next()).result({ ...hints, tools: TOOLS });
    await listed;
    const breakOff = async () => {
      const call = await server.next();
      call.stream();
      call.end();
    };

    for (const [name, options] of [
      ["look", {}],
      ["put", {}],
      ["pay", { reissue: true }],
    ] as const) {
      const called = client.callTool(name, {}, options);
      await breakOff();
      (await server.next()).result(CALLED);
      expect((await called).content).toEqual(CALLED.content);
    }
    for (const [name, options] of [
      ["pay", {}],
      ["unlisted", {}],
      ["look", { reissue: false }],
    ] as const) {
      const called = client.callTool(name, {}, options).catch((error: unknown) => error);
      await breakOff();
      expect(await called).toMatchObject({ code: "stream-ended" });
    }
    expect(server.log).toHaveLength(10);
    await client.close();
  },
);
