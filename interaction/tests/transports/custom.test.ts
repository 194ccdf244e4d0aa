import { PassThrough } from "node:stream";
import { Client, HttpTransport } from "parley-mcp/client";
import { StreamTransport, serveHttp } from "parley-mcp/node";
import { McpServer } from "parley-mcp/server";
import { type JsonRpcMessage, recordTransport } from "parley-mcp/testing";
import type { Transport, TransportReceiver } from "parley-mcp/types";
import { expect } from "vitest";
import { verifies } from "../../src/verifies.js";
import type { ConnectionLog } from "../../src/wire-log.js";

const ERAS = ["2025-11-25", "2026-07-28"] as const;

function worker(): McpServer {
  const server = new McpServer({ name: "worker", version: "1.0.0" });
  server.tool("work", {}, async (_args, context) => {
    await context.progress(1, 2);
    return "done";
  });
  return server;
}

/** Calls the tool and tells what came of it. */
async function work(client: Client): Promise<unknown[]> {
  const seen: unknown[] = [];
  const { content } = await client.callTool("work", {}, { onProgress: ({ progress }) => void seen.push(progress) });
  return [...seen, content];
}

const WORKED = [1, [{ type: "text", text: "done" }]];

/** Two ends of a mailbox: what one posts is delivered to the other a moment later. */
function mailbox(): [Transport, Transport] {
  const receivers: TransportReceiver[] = [];
  const end = (own: number): Transport => ({
    start: (receiver) => {
      receivers[own] = receiver;
    },
    send: (message) => queueMicrotask(() => receivers[1 - own]?.receive(structuredClone(message))),
    close: () => {
      for (const receiver of receivers.splice(0)) receiver.closed();
    },
  });
  return [end(0), end(1)];
}

/** The server's end of a connection, whose messages go into a log. */
function recorded(far: Transport, log: ConnectionLog): Transport {
  return recordTransport(far, (direction, message) => log.note(direction === "sent" ? "server" : "client", message));
}

verifies("transport:custom:client-connect", "a mailbox made of two plain objects is a connection", async ({ wire }) => {
  for (const revision of ERAS) {
    const [near, far] = mailbox();
    const log = wire.open(["client", "server"]);
    await worker().serve(recorded(far, log));
    const client = await Client.connect(near, { name: "c", version: "1.0.0", revisions: [revision] });
    expect(client.negotiated.revision).toBe(revision);
    expect(await work(client)).toEqual(WORKED);
    await client.close();
    await expect(work(client)).rejects.toMatchObject({ code: "connection-closed" });
  }
});

verifies(
  "transport:custom:client-connect",
  "a transport whose methods declare no parameters is one like any other",
  async ({ wire }) => {
    const [near, far] = mailbox();
    const log = wire.open(["client", "server"]);
    await worker().serve(recorded(far, log));
    const undeclared: Transport = {
      start: (...given) => near.start(...given),
      send: (...given) => near.send(...given),
      close: () => near.close(),
    };
    expect(undeclared.start).toHaveLength(0);

    const client = await Client.connect(undeclared, { name: "c", version: "1.0.0" });

    expect(await work(client)).toEqual(WORKED);
    await client.close();
  },
);

/** Passes on whatever either side says, without looking at it. */
async function relay(left: Transport, right: Transport): Promise<void> {
  const pass = (from: Transport, to: Transport) =>
    from.start({
      // Neither side is asked what it sent.
      receive: (message) => void to.send(message as JsonRpcMessage),
      receiveUnparsable: (error) => expect(error).toBeUndefined(),
      closed: () => void to.close(),
    });
  await pass(right, left);
  await pass(left, right);
}

verifies("transport:standalone:raw-relay", "lines become HTTP requests and back, with nobody in between", async () => {
  await using host = await serveHttp(worker());
  for (const revision of ERAS) {
    const [up, down] = [new PassThrough(), new PassThrough()];
    await relay(new StreamTransport({ input: up, output: down }), new HttpTransport(host.url));
    const transport = new StreamTransport({ input: down, output: up });
    const client = await Client.connect(transport, { name: "c", version: "1.0.0", revisions: [revision] });
    expect(client.negotiated.revision).toBe(revision);
    expect(await work(client)).toEqual(WORKED);
    await client.close();
  }
});

verifies("transport:large-results", "a text of 5 MiB arrives whole", async ({ connect }) => {
  const text = "x".repeat(5 * 1024 * 1024);
  const server = new McpServer({ name: "painter", version: "1.0.0" });
  server.tool("paint", {}, () => text);
  const client = await connect(server);

  const { content } = await client.callTool("paint");

  expect(content).toHaveLength(1);
  expect(content[0]?.type === "text" && content[0].text === text).toBe(true);
});
