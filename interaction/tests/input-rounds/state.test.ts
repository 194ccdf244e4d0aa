import { Client } from "parley-mcp/client";
import { InMemoryUsedStates, inputRequired, McpServer, type McpServerOptions } from "parley-mcp/server";
import type { JsonObject } from "parley-mcp/types";
import { expect } from "vitest";
import { z } from "zod";
import type { Conversation } from "../../src/conversation.js";
import { hostHttp } from "../../src/http/raw-http-client.js";
import { verifies } from "../../src/verifies.js";

const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
const inputResponses = { it: { action: "accept", content: { name: "Ada" } } };
const key = (byte: number) => new Uint8Array(32).fill(byte);

/** A server whose tool greets whoever says their name; `runs` counts how often it got past the question. */
function greeter(requestState?: McpServerOptions["requestState"]) {
  const runs: string[] = [];
  const server = new McpServer({ name: "greeter", version: "1.0.0", ...(requestState && { requestState }) });
  const options = { input: z.object({ greeting: z.string(), mark: z.string().optional() }) };
  for (const name of ["greet", "welcome"]) {
    server.tool(name, options, async ({ greeting }, context) => {
      runs.push("begun");
      await context.once("secret", () => "s3cr3t-of-the-server");
      const { content } = await context.elicit({ message: "?", schema: z.object({ name: z.string() }) }, { key: "it" });
      return `${greeting} ${content?.name}`;
    });
  }
  return { server, runs };
}

const greet = { name: "greet", arguments: { greeting: "Hello", mark: "!" } };

/** Makes one call by hand, on a connection of its own: rounds share nothing. */
async function call(
  { playClient, params }: Pick<Conversation, "playClient" | "params">,
  server: McpServer,
  own: JsonObject,
  method = "tools/call",
): Promise<JsonObject> {
  const peer = await playClient(server);
  const _meta = { [CAPABILITIES]: { elicitation: {} }, ...(own._meta as object | undefined) };
  const { result, error } = await peer.request(1, method, params({ ...own, _meta }));
  return (result ?? error) as JsonObject;
}

const finished = { resultType: "complete", content: [{ type: "text", text: "Hello Ada" }] };

verifies("mrtr:stateless", "a new connection to a second server with the key gets the result", async (conversation) => {
  const keys = [key(1)];
  const first = greeter({ keys });
  const second = greeter({ keys });

  const { requestState } = await call(conversation, first.server, greet);
  const result = await call(conversation, second.server, { ...greet, inputResponses, requestState });

  expect(result).toMatchObject(finished);
  expect([first.runs.length, second.runs.length]).toEqual([1, 1]);
});

verifies(
  "mrtr:state:tampered",
  "a state that was changed, cut, lengthened, rewritten or invented is -32602, and the handler does not run",
  async (conversation) => {
    const { server, runs } = greeter();
    const { requestState } = await call(conversation, server, greet);
    const state = String(requestState);
    const flip = (at: number) => `${state.slice(0, at)}${state[at] === "A" ? "B" : "A"}${state.slice(at + 1)}`;
    const forged = [
      ...[0, 1, 8, 20, 60, state.length >> 1, state.length - 2].map(flip),
      state.slice(0, -4),
      `${state}AAAA`,
      `${state}=`,
      ` ${state}`,
      "",
      "{}",
      btoa('{"answers":{},"asked":{},"once":{}}'),
    ];
    runs.length = 0;

    const refusals = await Promise.all(
      forged.map((tampered) => call(conversation, server, { ...greet, inputResponses, requestState: tampered })),
    );

    const refusal = { code: -32602, message: expect.stringContaining("requestState") };
    expect(refusals).toEqual(forged.map(() => refusal));
    expect(new Set(refusals.map(({ message }) => message)).size).toBe(1);
    expect(await call(conversation, server, { ...greet, requestState: 7 })).toMatchObject({ code: -32602 });
    expect(runs).toEqual([]);
  },
);

verifies(
  "mrtr:state:expired",
  "a state is good for ten minutes or for what the option says, and each round begins anew",
  async (conversation) => {
    for (const [ttlMs, limit] of [
      [undefined, 600_000],
      [50, 50],
    ] as const) {
      let time = 1_000_000;
      const { server, runs } = greeter({ ttlMs, now: () => time });
      const { requestState } = await call(conversation, server, greet);

      time += limit - 1;
      const again = await call(conversation, server, { ...greet, requestState });
      expect(again).toMatchObject({ resultType: "input_required" });
      time += 1;
      runs.length = 0;
      const late = await call(conversation, server, { ...greet, inputResponses, requestState });
      expect(late).toMatchObject({ code: -32602 });
      expect(runs).toEqual([]);
      const renewed = { ...greet, inputResponses, requestState: again.requestState };
      expect(await call(conversation, server, renewed)).toMatchObject(finished);
    }
  },
);

verifies(
  "mrtr:state:other-request",
  "a state is refused with another tool, other arguments, fewer of them, or another method",
  async (conversation) => {
    const { server, runs } = greeter();
    server.prompt("greet", { input: z.object({ greeting: z.string() }) }, () => {
      throw new Error("must not run");
    });
    const { requestState } = await call(conversation, server, greet);
    runs.length = 0;

    for (const [own, method] of [
      [{ ...greet, name: "welcome" }, "tools/call"],
      [{ ...greet, arguments: { greeting: "Bye", mark: "!" } }, "tools/call"],
      [{ ...greet, arguments: { greeting: "Hello" } }, "tools/call"],
      [greet, "prompts/get"],
    ] as const) {
      const refusal = await call(conversation, server, { ...own, inputResponses, requestState }, method);
      expect(refusal, JSON.stringify(own)).toMatchObject({ code: -32602 });
    }
    expect(runs).toEqual([]);
  },
);

verifies("mrtr:state:same-request", "arguments in another order and a new _meta open it", async (conversation) => {
  const { server } = greeter();
  const { requestState } = await call(conversation, server, { ...greet, _meta: { progressToken: 1 } });

  const own = { name: "greet", arguments: { mark: "!", greeting: "Hello" }, _meta: { progressToken: 2, "acme/x": 1 } };
  const result = await call(conversation, server, { inputResponses, requestState, ...own });

  expect(result).toMatchObject(finished);
});

verifies(
  "mrtr:state:other-process",
  "a state that one server sealed is not opened by another",
  async (conversation) => {
    const { server } = greeter();
    const other = greeter();
    const { requestState } = await call(conversation, server, greet);

    const own = { ...greet, inputResponses, requestState };
    expect(await call(conversation, other.server, own)).toMatchObject({ code: -32602 });
    expect(other.runs).toEqual([]);
    expect(await call(conversation, server, own)).toMatchObject(finished);
  },
);

verifies(
  "mrtr:state:opaque",
  "the text and the bytes of a state show nothing of what it holds, the raw form's own state included",
  async ({ connect }) => {
    const { server } = greeter();
    server.tool("raw", {}, () => inputRequired({ requestState: "s3cr3t-of-the-server" }));
    const client = await connect(server, { elicit: () => ({ action: "cancel" }) });

    for (const own of [greet, { name: "raw", arguments: {} }]) {
      const states = [await client.request("tools/call", own), await client.request("tools/call", own)].map(
        ({ requestState }) => String(requestState),
      );
      expect(states[0]).not.toBe(states[1]);
      for (const state of states) {
        const bytes = atob(state.replaceAll("-", "+").replaceAll("_", "/"));
        expect(state).toMatch(/^[\w-]+$/);
        expect(bytes).not.toContain("s3cr3t");
      }
    }
  },
);

verifies(
  "mrtr:state:key-rotation",
  "old states open while the old key is there, new ones are sealed with the new key",
  async (conversation) => {
    const [before, during, after] = [[key(1)], [key(2), key(1)], [key(2)]].map((keys) => greeter({ keys }).server);
    if (!before || !during || !after) throw new Error("three servers");
    const stateOf = async (server: McpServer) => (await call(conversation, server, greet)).requestState;
    const finish = (server: McpServer, requestState: unknown) =>
      call(conversation, server, { ...greet, inputResponses, requestState });

    const [old, fresh] = [await stateOf(before), await stateOf(during)];

    expect(await finish(during, old)).toMatchObject(finished);
    expect(await finish(during, fresh)).toMatchObject(finished);
    expect(await finish(after, fresh)).toMatchObject(finished);
    expect(await finish(after, old)).toMatchObject({ code: -32602 });
    expect(await finish(before, fresh)).toMatchObject({ code: -32602 });
  },
);

verifies(
  "mrtr:state:single-use",
  "a state of single use is refused the second time, at the same time, and at another server with the same store",
  async (conversation) => {
    const claimed = new Set<string>();
    const claim = async (id: string) => claimed.size !== claimed.add(id).size;
    const keys = [key(1)];
    const useTwice = async (first: McpServer, second: McpServer) => {
      const { requestState } = await call(conversation, first, greet);
      const own = { ...greet, inputResponses, requestState };
      const outcomes = await Promise.all([first, second].map((server) => call(conversation, server, own)));
      return outcomes.map(({ resultType, code }) => resultType ?? code).sort();
    };

    const { server: alone } = greeter({ singleUse: true });
    expect(await useTwice(alone, alone)).toEqual([-32602, "complete"]);
    const [one, other] = [1, 2].map(() => greeter({ keys, singleUse: { claim } }).server) as [McpServer, McpServer];
    expect(await useTwice(one, other)).toEqual([-32602, "complete"]);
    const { server: reusable } = greeter();
    expect(await useTwice(reusable, reusable)).toEqual(["complete", "complete"]);
  },
);

verifies(
  "mrtr:state:single-use:shares",
  "a principal that fills the store of used states makes no state of another principal invalid",
  async () => {
    const { server } = greeter({ singleUse: new InMemoryUsedStates({ maxStates: 4 }) });
    await using host = await hostHttp(server, {
      authenticate: (request) => ({ principal: `${request.header("x-user")}` }),
    });
    const connect = (user: string) =>
      Client.connect(
        { url: host.url, headers: { "x-user": user } },
        { name: "cli", version: "1.0.0", elicit: () => ({ action: "cancel" }) },
      );
    await using ann = await connect("ann");
    await using mallory = await connect("mallory");
    const begin = (client: Client) => client.request("tools/call", greet);
    const finish = (client: Client, { requestState }: JsonObject) =>
      client.request("tools/call", { ...greet, inputResponses, requestState });

    const asked = await begin(ann);
    for (let round = 0; round < 8; round++) {
      expect(await finish(mallory, await begin(mallory))).toMatchObject(finished);
    }
    expect(await finish(ann, asked)).toMatchObject(finished);
    await expect(finish(ann, asked)).rejects.toMatchObject({ code: -32602 });
  },
);
