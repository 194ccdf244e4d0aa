import { McpServer } from "parley-mcp/server";
import type { JsonRpcMessage } from "parley-mcp/testing";
import { CONNECTIONS, REVISIONS } from "parley-requirements";
import { describe, expect, test } from "vitest";
import type { Cell } from "./cells.js";
import { withDeadline } from "./deadline.js";
import { collectDeclarations } from "./declarations.js";
import { type Body, expectDivergence, runInCell, verifies } from "./verifies.js";

const cell: Cell = { connection: "json-rpc", revision: "2025-06-18" };
const nothing: Body = () => undefined;
const sayNonsense: Body = ({ wire }) => {
  // No message at all, which is the point.
  wire
    .open(["server"])
    .entries.push({ from: "server", message: { jsonrpc: "2.0", id: 1 } as unknown as JsonRpcMessage });
};

describe("a test in a cell", () => {
  test("passes when its body does", async () => {
    await runInCell(cell, nothing);
  });

  test("fails when its body does", async () => {
    await expect(runInCell(cell, () => Promise.reject(new Error("wrong sum")))).rejects.toThrow("wrong sum");
  });

  test("fails when its body does not end", async () => {
    const forever = () => new Promise<void>(() => undefined);
    await expect(runInCell(cell, forever, { deadlineMs: 5 })).rejects.toThrow("the test's body took longer than 5 ms");
  });

  test("fails when a client reported what the test did not expect", async () => {
    const body: Body = ({ unexpectedErrors }) => void unexpectedErrors.push(new Error("late answer"));
    await expect(runInCell(cell, body)).rejects.toThrow("did not expect: Error: late answer");
  });

  test("fails when the wire is judged invalid, with the message and the complaint", async () => {
    await expect(runInCell(cell, sayNonsense)).rejects.toThrow(/judged invalid[\s\S]*\{"jsonrpc":"2\.0","id":1\}/);
  });

  test("is not judged when it gives a reason", async () => {
    await runInCell(cell, sayNonsense, { judge: "our-side-is-made-to-misbehave" });
  });

  test("cannot connect where nothing is to be connected", async () => {
    // The server is never looked at.
    const body: Body = async ({ connect }) => void (await connect(undefined as never));
    await expect(runInCell({ connection: "none", revision: "2026-07-28" }, body)).rejects.toThrow(
      "without a connection",
    );
  });
});

describe.each(CONNECTIONS)("over a %s connection", (connection) => {
  const real: Cell = { connection, revision: "2025-06-18" };
  const ask = (answer: object): Body => {
    const server = new McpServer({ name: "acme", version: "1.0.0" });
    server.handle("acme/run", () => answer);
    return async ({ connect, wire }) => {
      const client = await connect(server);
      await client.request("acme/run");
      expect(wire.methods("client")).toEqual(["initialize", "notifications/initialized", "acme/run"]);
      expect(wire.from("server")).toHaveLength(2);
    };
  };

  test("what crosses is recorded and found in order", async () => {
    await runInCell(real, ask({ own: 1 }));
  });

  test("a real server's invalid message is judged", async () => {
    await expect(runInCell(real, ask({ _meta: 5 }))).rejects.toThrow(/judged invalid[\s\S]*"_meta":5/);
  });
});

describe("scripted peers", () => {
  const server = new McpServer({ name: "acme", version: "1.0.0", onError: () => undefined });
  server.handle("acme/run", () => ({ _meta: 5 }));
  const legacy: Cell = { connection: "json-rpc", revision: "2025-06-18" };

  test("a raw client's nonsense is not judged, the server's answers are, received or not", async () => {
    const nonsense: Body = async ({ openClient }) => {
      const peer = await openClient(server);
      await peer.sendText("{");
      await peer.send({ jsonrpc: "2.0", id: null, method: 5 });
    };
    await runInCell(legacy, nonsense);
    const invalid: Body = async ({ openClient }) => {
      const peer = await openClient(server);
      await peer.send({ jsonrpc: "2.0", id: 7, method: "acme/run" });
    };
    await expect(runInCell(legacy, invalid)).rejects.toThrow(/judged invalid[\s\S]*"_meta":5/);
  });

  test.each(REVISIONS)("a raw server opens and answers a real client in %s", async (revision) => {
    await runInCell({ connection: "json-rpc", revision }, async ({ openServer, wire }) => {
      const { peer, client } = await openServer();
      const asked = client.request("acme/run", { own: 1 });
      await peer.respond(await peer.receive(), { answer: 2 });
      expect(await asked).toMatchObject({ answer: 2 });
      expect(client.revision).toBe(revision);
      expect(wire.methods("client").at(-1)).toBe("acme/run");
    });
  });
});

describe("a divergence", () => {
  test("is confirmed by a body that fails", async () => {
    await expectDivergence(cell, () => Promise.reject(new Error("not yet")));
  });

  test("is stale when the body passes", async () => {
    await expect(expectDivergence(cell, nothing)).rejects.toThrow("remove its divergence");
  });
});

describe("declaring", () => {
  test("an unknown id is refused at once", () => {
    expect(() => verifies("tools:made-up", "never", nothing)).toThrow('"tools:made-up" is not in the manifest');
    expect(() => verifies("constructor", "never", nothing)).toThrow('"constructor" is not in the manifest');
  });

  test("ids that run in different cells are refused", () => {
    expect(() => verifies(["tools:list:basic", "tools:list:icons"], "never", nothing)).toThrow(
      "tools:list:basic and tools:list:icons run in different cells",
    );
  });

  test("a test without a body is refused", () => {
    // What a caller without types could write.
    expect(() => verifies("tools:list:basic", "never", {}, undefined as never)).toThrow("no body");
  });

  test("what is declared while collecting is not run", async () => {
    const declared = await collectDeclarations(async () => {
      verifies(["tools:list:basic", "tools:list:order"], "lists", { judge: "no-valid-form" }, nothing);
      verifies.diverging("tools:list:basic", "lists", nothing);
    });
    expect(declared).toEqual([
      { ids: ["tools:list:basic", "tools:list:order"], sentence: "lists", isDiverging: false },
      { ids: ["tools:list:basic"], sentence: "lists", isDiverging: true },
    ]);
  });
});

test("a deadline lets what is in time pass", async () => {
  expect(await withDeadline(Promise.resolve("done"), 1_000, "it")).toBe("done");
});
