import type { JsonObject } from "parley-mcp/types";
import { expect } from "vitest";
import { deferred } from "../../src/deferred.js";
import { verifies } from "../../src/verifies.js";

const FORM = { type: "object", properties: { name: { type: "string" } } } as const;
const ask = (message: string) => ({
  method: "elicitation/create",
  params: { mode: "form", message, requestedSchema: FORM },
});
const accept = (name: string) => ({ action: "accept", content: { name } }) as const;
const inputRequired = (needed: JsonObject) => ({ resultType: "input_required", ...needed });
const done = { resultType: "complete", content: [] };

const mustNotRun = (): never => {
  throw new Error("must not run");
};

/** The members of a call's params beside its `_meta`. */
function ownParams({ params }: JsonObject): JsonObject {
  const { _meta, ...own } = params as JsonObject;
  return own;
}

verifies(
  "mrtr:retry:answers-first",
  "a client asks both questions at once, and calls again with both answers beside its own params",
  async ({ openServer }) => {
    const answers = new Map([
      ["first?", deferred<string>()],
      ["second?", deferred<string>()],
    ]);
    const asked: string[] = [];
    const { peer, client } = await openServer(undefined, {
      elicit: async ({ message }) => {
        asked.push(message);
        return accept((await answers.get(message)?.promise) ?? "");
      },
    });

    const calling = client.callTool("ask", { topic: "names" }, { meta: { "acme/trace": 7 } });
    const first = await peer.receive();
    await peer.respond(first, inputRequired({ inputRequests: { one: ask("first?"), "t w o": ask("second?") } }));
    expect(await peer.drain()).toEqual([]);
    expect(asked).toEqual(["first?", "second?"]);
    answers.get("second?")?.resolve("Grace");
    expect(await peer.drain()).toEqual([]);
    answers.get("first?")?.resolve("Ada");

    const retry = await peer.receive();
    const inputResponses = { one: accept("Ada"), "t w o": accept("Grace") };
    expect(ownParams(retry)).toEqual({ name: "ask", arguments: { topic: "names" }, inputResponses });
    expect((retry.params as JsonObject)._meta).toEqual((first.params as JsonObject)._meta);
    await peer.respond(retry, done);
    expect(await calling).toMatchObject({ content: [] });
  },
);

verifies(
  "mrtr:retry:state-only",
  "a call is made again at once for a result with a state and no questions, for each of the methods",
  async ({ openServer }) => {
    const { peer, client } = await openServer();
    const results: [Promise<unknown>, JsonObject][] = [
      [client.callTool("poll", { n: 1 }), { content: [] }],
      [client.getPrompt("poll", { n: "1" }), { messages: [] }],
      [client.readResource("poll://1"), { contents: [], ttlMs: 0, cacheScope: "private" }],
    ];
    const calls = [await peer.receive(), await peer.receive(), await peer.receive()];

    for (const [index, call] of calls.entries()) {
      await peer.respond(call, inputRequired({ requestState: `later ${index}` }));
      const retry = await peer.receive();
      expect(retry.method).toBe(call.method);
      expect(ownParams(retry)).toEqual({ ...ownParams(call), requestState: `later ${index}` });
      const [result, answer] = results[index] ?? [];
      await peer.respond(retry, { resultType: "complete", ...answer });
      expect(await result).toMatchObject({ ...answer });
    }
  },
);

verifies(
  "mrtr:retry:state-echo",
  "a state of spaces, line ends, surrogates, JSON or nothing at all comes back unchanged",
  async ({ openServer }) => {
    const states = ["", " \t\r\n ", "ünïcødé 🦜 \u0000", '{"a":1.0}', "null", "=".repeat(10_000)];
    const { peer, client } = await openServer(undefined, { maxInputRounds: states.length });

    const calling = client.callTool("ask");
    let call = await peer.receive();
    for (const requestState of states) {
      await peer.respond(call, inputRequired({ requestState }));
      call = await peer.receive();
      expect(ownParams(call)).toEqual({ name: "ask", arguments: {}, requestState });
    }
    await peer.respond(call, done);
    await calling;
  },
);

verifies(
  "mrtr:retry:no-state",
  "a call after a result without a state has neither the state nor the answers of an earlier round",
  async ({ openServer }) => {
    const { peer, client } = await openServer(undefined, { elicit: () => accept("Ada") });

    const calling = client.callTool("ask");
    await peer.respond(await peer.receive(), inputRequired({ requestState: "s1", inputRequests: { one: ask("?") } }));
    const second = await peer.receive();
    await peer.respond(second, inputRequired({ inputRequests: { two: ask("?") } }));
    const third = await peer.receive();
    await peer.respond(third, done);
    await calling;

    expect(ownParams(second)).toHaveProperty("requestState", "s1");
    expect(ownParams(third)).toEqual({ name: "ask", arguments: {}, inputResponses: { two: accept("Ada") } });
  },
);

verifies(
  "mrtr:retry:new-id",
  "every round has an id of its own, and the id that the caller chose is used once",
  async ({ openServer }) => {
    const { peer, client } = await openServer();
    for (const options of [{}, { id: "mine" }]) {
      const calling = client.callTool("ask", {}, options);
      const ids: unknown[] = [];
      for (const answer of [inputRequired({ requestState: "1" }), inputRequired({ requestState: "2" }), done]) {
        const call = await peer.receive();
        ids.push(call.id);
        await peer.respond(call, answer);
      }
      await calling;

      expect(new Set(ids.map(String)).size).toBe(3);
      if ("id" in options) expect(ids[0]).toBe("mine");
    }
  },
);

verifies(
  "mrtr:retry:no-leak",
  "the same call, another call and a list made meanwhile look as if nothing was asked",
  async ({ openServer }) => {
    const answer = deferred<{ action: "accept"; content: { name: string } }>();
    const { peer, client } = await openServer(undefined, { elicit: () => answer.promise });

    const asking = client.callTool("ask", { n: 1 });
    await peer.respond(await peer.receive(), inputRequired({ requestState: "s", inputRequests: { q: ask("?") } }));
    const others = [client.callTool("ask", { n: 1 }), client.callTool("other"), client.listTools()];
    for (const expected of [{ name: "ask", arguments: { n: 1 } }, { name: "other", arguments: {} }, {}]) {
      const call = await peer.receive();
      expect(ownParams(call)).toEqual(expected);
      await peer.respond(
        call,
        call.method === "tools/list" ? { ...done, tools: [], ttlMs: 0, cacheScope: "private" } : done,
      );
    }
    await Promise.all(others);
    answer.resolve(accept("Ada"));

    const retry = await peer.receive();
    expect(ownParams(retry)).toMatchObject({ inputResponses: { q: accept("Ada") }, requestState: "s" });
    await peer.respond(retry, done);
    await asking;
  },
);

verifies(
  "mrtr:retry:undeclared",
  "a call that is asked for something without a handler rejects with the code of that kind, and nothing more is sent",
  async ({ openServer }) => {
    const { peer, client } = await openServer();
    const sampling = { messages: [], maxTokens: 10 };
    const kinds = [
      [ask("?"), -32602],
      [{ method: "roots/list", params: {} }, -32601],
      [{ method: "sampling/createMessage", params: sampling }, -32600],
      [{ method: "sampling/createMessage", params: { ...sampling, tools: [] } }, -32602],
    ] as const;

    for (const [request, code] of kinds) {
      const calling = client.callTool("ask");
      await peer.respond(await peer.receive(), inputRequired({ inputRequests: { q: request }, requestState: "s" }));
      await expect(calling).rejects.toMatchObject({ name: "ProtocolError", code });
      expect(await peer.drain()).toEqual([]);
    }
  },
);

verifies(
  "mrtr:methods:client-refuses",
  "input_required on a list or on an unknown method rejects, and nobody is asked",
  async ({ openServer }) => {
    const { peer, client } = await openServer(undefined, { elicit: mustNotRun });

    for (const call of [() => client.listTools(), () => client.request("acme/work")]) {
      const calling = call();
      await peer.respond(await peer.receive(), inputRequired({ inputRequests: { q: ask("?") }, requestState: "s" }));
      await expect(calling).rejects.toMatchObject({ name: "SdkError", code: "unknown-result-type" });
      expect(await peer.drain()).toEqual([]);
    }
  },
);

verifies(
  "mrtr:rounds-cap",
  "a call is made once and then as often as allowed, and not once more",
  async ({ openServer }) => {
    for (const [options, rounds] of [
      [{}, 8],
      [{ maxInputRounds: 2 }, 2],
      [{ maxInputRounds: 0 }, 0],
    ] as const) {
      const { peer, client } = await openServer(undefined, { ...options, elicit: () => accept("Ada") });
      const calling = client.callTool("endless");
      for (let round = 0; round <= rounds; round += 1) {
        const needed = round % 2 ? { requestState: "s" } : { inputRequests: { q: ask("?") } };
        await peer.respond(await peer.receive(), inputRequired(needed));
      }

      await expect(calling).rejects.toMatchObject({ name: "SdkError", code: "too-many-rounds" });
      expect(await peer.drain()).toEqual([]);
    }
  },
);
