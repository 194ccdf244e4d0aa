import { McpServer } from "parley-mcp/server";
import { describe, expect, test } from "vitest";
import { exchange, post } from "./http/http-posts.js";
import { hostHttp } from "./http/raw-http-client.js";
import { connectLegacy, RawHttpServer } from "./http/raw-http-server.js";
import { RawProgram, serverProgram } from "./stdio/raw-lines.js";
import { type Body, runInCell } from "./verifies.js";
import { WireLog } from "./wire-log.js";

const cell = { connection: "none", revision: "2026-07-28" } as const;
const PING = { jsonrpc: "2.0", id: 1, method: "ping" };

/** A server that is made to say what no revision allows. */
function misbehaving(): McpServer {
  const server = new McpServer({ name: "acme", version: "1.0.0", onError: () => undefined });
  server.handle("acme/run", () => ({ _meta: 5 }));
  return server;
}

describe("messages of a raw peer are judged", () => {
  const invalid = /judged invalid[\s\S]*"_meta":5/;

  test("that a raw HTTP client receives", async () => {
    const body: Body = async () => {
      await using host = await hostHttp(misbehaving());
      const client = await host.client().open();
      await (await client.request(1, "acme/run")).answer();
    };
    await expect(runInCell(cell, body)).rejects.toThrow(invalid);
  });

  test("that answer one exchange", async () => {
    const body: Body = async () => {
      await using host = await hostHttp(misbehaving(), { legacy: { stateless: true } });
      await exchange(host.url, post({ ...PING, method: "acme/run" }));
    };
    await expect(runInCell(cell, body)).rejects.toThrow(invalid);
  });

  test("that a raw HTTP server receives", async () => {
    const heard = await runInCell(cell, async () => {
      await using server = await RawHttpServer.start();
      const { client } = await connectLegacy(server);
      await client.close();
    });
    // The two messages of the handshake, as the raw server and the wiretap hear them.
    expect(heard).toBe(4);
  });

  test("that a program writes", async () => {
    const heard = await runInCell(cell, async () => {
      await using program = new RawProgram(serverProgram());
      program.lines.send(PING);
      expect(await program.lines.receive()).toMatchObject({ id: 1, result: {} });
    });
    // As the raw peer and the wiretap hear it.
    expect(heard).toBe(2);
  });
});

describe("the log", () => {
  test("hears the silence of a whole connection, and of a raw peer only what it receives", () => {
    const wire = new WireLog();
    wire.openRaw("server").note("client", PING);
    expect(wire.heardMessages).toBe(0);
    wire.open(["server"]).note("client", PING);
    expect(wire.heardMessages).toBe(1);
  });

  test("leaves out text that is no message", () => {
    const wire = new WireLog();
    const log = wire.openRaw("server");
    for (const text of ["", "{", "5", "null", "/messages?session=1"]) log.noteText("server", text);
    expect(wire.from("server")).toEqual([]);
  });
});
