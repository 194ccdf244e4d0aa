import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { Socket } from "node:net";
import { describe, expect, it, vi } from "vitest";
import type { McpServer } from "../../server/mcp-server.js";
import { call } from "../http/modern-requests.fixture.js";
import { ConnectionOutputs } from "./connection-output.js";
import { listen, RawClient, rawPost, send, settledAt, untilClosed } from "./node-host.fixture.js";

describe("a slow reader", () => {
  const large = { text: "x".repeat(1_000) };

  it("that pipelines without end behind a call that never ends is disconnected", async () => {
    let runs = 0;
    const { http } = await listen({ stallTimeoutMs: 50 }, (server) => {
      server.tool("hang", {}, () => new Promise<string>(() => {}));
      server.tool("count", {}, () => `${++runs}`);
    });
    const client = new RawClient(http.port);
    client.write(rawPost(call("hang")) + rawPost(call("count")).repeat(5_000));
    await client.closed;
    // A mebibyte of answers, each with the objects around it.
    expect(runs).toBeLessThan(300);
  });

  it("that pipelines requests for any answer behind a call that never ends is not read any further", async () => {
    let answers = 0;
    const onResponse = () => {
      answers += 1;
    };
    const { http } = await listen({ stallTimeoutMs: 50, onResponse }, (server) => {
      server.tool("hang", {}, () => new Promise<string>(() => {}));
    });
    const client = new RawClient(http.port);
    client.write(rawPost(call("hang")) + "PUT /mcp HTTP/1.1\r\nhost: localhost\r\n\r\n".repeat(50_000));
    await client.closed;
    // A mebibyte of answers, and those to the requests that arrived in the same chunk as the last of them.
    expect(answers).toBeLessThan(4_000);
  });

  it("that leaves behind answers that wait for a call is noticed, so the call is aborted", async () => {
    const aborted = vi.fn();
    const refusals: number[] = [];
    const { http } = await listen(
      { onRefusal: () => void refusals.push(1) },
      (server) => {
        server.tool("hang", {}, (_args, { signal }) => {
          signal.addEventListener("abort", aborted);
          return new Promise<string>(() => {});
        });
      },
      { limits: { maxRequestsPerConnection: 1 } },
    );
    const client = new RawClient(http.port);
    // More than the 16 KiB of answers after which Node stops reading, and then one request more.
    client.write(rawPost(call("hang")).repeat(100));
    await vi.waitFor(() => expect(refusals).toHaveLength(99));
    client.write(rawPost(call("hang")));
    await settledAt(() => refusals.length);
    client.socket.destroy();
    await vi.waitFor(() => expect(aborted).toHaveBeenCalledOnce());
  });

  it("holds up a writer that waits for it, so little is queued", async () => {
    let written = 0;
    const { http } = await listen({}, (server) => {
      server.tool("flood", {}, async (_args, context) => {
        for (; written < 10_000; written += 1) await context.notify("acme/note", large);
        return "done";
      });
    });
    const response = await send(http.url, call("flood"));
    const before = await settledAt(() => written);
    expect(before).toBeLessThan(10_000);
    let text = "";
    for await (const chunk of response.setEncoding("utf8")) text += chunk;
    expect(text.match(/acme\/note/g)).toHaveLength(10_000);
  });

  it("is disconnected at the bound by one that does not", async () => {
    const aborted = vi.fn();
    const { http } = await listen({ maxQueuedBytes: 100_000 }, (server) => {
      server.tool("flood", {}, (_args, context) => {
        context.signal.addEventListener("abort", aborted);
        for (let count = 0; count < 10_000; count += 1) void context.notify("acme/note", large);
        return "";
      });
    });
    const response = await send(http.url, call("flood"));
    const read = (async () => {
      let size = 0;
      for await (const chunk of response) size += chunk.length;
      return size;
    })();
    await expect(read).rejects.toMatchObject({ code: "ECONNRESET" });
    expect(aborted).toHaveBeenCalledOnce();
  });

  it("that takes nothing at all is disconnected, and whoever waits for it goes on", async () => {
    const ended = vi.fn();
    const { http } = await listen({ stallTimeoutMs: 20 }, (server) => {
      server.tool("flood", {}, async (_args, context) => {
        while (!context.signal.aborted) await context.notify("acme/note", large).catch(() => {});
        ended();
        return "";
      });
    });
    const response = await send(http.url, call("flood"));
    await vi.waitFor(() => expect(ended).toHaveBeenCalledOnce());
    await expect(response.toArray()).rejects.toMatchObject({ code: "ECONNRESET" });
  });

  it("that leaves releases a writer that waits", async () => {
    const { http } = await listen({}, (server) => {
      server.tool("flood", {}, async (_args, context) => {
        while (!context.signal.aborted)
          await Promise.all([context.notify("acme/a", large), context.notify("acme/b", large)]);
        done();
        return "";
      });
    });
    const done = vi.fn();
    const response = await send(http.url, call("flood"));
    response.destroy();
    await vi.waitFor(() => expect(done).toHaveBeenCalledOnce());
  });
});

describe("a client that reads no plain answer", () => {
  const ANSWER = 1_000_000;

  function answering(runs: { count: number }) {
    return (server: McpServer) => {
      server.tool("big", {}, () => {
        runs.count += 1;
        return "x".repeat(ANSWER);
      });
    };
  }

  it("is disconnected, and pipelined requests are not served meanwhile", async () => {
    const runs = { count: 0 };
    const { http } = await listen({ stallTimeoutMs: 50 }, answering(runs));
    const client = new RawClient(http.port);
    client.socket.pause();
    client.write(rawPost(call("big")).repeat(300));
    await untilClosed(client);
    expect(runs.count).toBeGreaterThan(0);
    expect(runs.count).toBeLessThan(50);
  });

  it("is disconnected although the answer alone is small", async () => {
    const { http } = await listen({ stallTimeoutMs: 50 }, (server) => {
      server.tool("small", {}, () => "x".repeat(50_000));
    });
    const client = new RawClient(http.port);
    client.socket.pause();
    client.write(rawPost(call("small")).repeat(1_000));
    await untilClosed(client);
  });

  it("gets all answers once it reads, and the requests that waited are served", async () => {
    const runs = { count: 0 };
    const { http } = await listen({}, answering(runs));
    const client = new RawClient(http.port);
    client.socket.pause();
    client.write(rawPost(call("big")).repeat(40));
    const before = await settledAt(() => runs.count);
    expect(before).toBeLessThan(40);
    let size = 0;
    client.socket.on("data", (text: string) => {
      size += text.length;
    });
    client.socket.resume();
    await vi.waitFor(() => expect(runs.count).toBe(40), 5_000);
    await vi.waitFor(() => expect(size).toBeGreaterThan(40 * ANSWER), 5_000);
  });

  it("gets all answers if it reads them, however many requests it has pipelined", async () => {
    const count = 1_000;
    let served = 0;
    const { http } = await listen({ stallTimeoutMs: 5_000 }, (server) => {
      server.tool("page", {}, () => {
        served += 1;
        return "x".repeat(20_000);
      });
    });
    const client = new RawClient(http.port);
    client.socket.pause();
    client.write(rawPost(call("page")).repeat(count) + rawPost(call("hi")));
    // Answers of a mebibyte, and what the socket takes: the rest of the requests is not served, or not even read.
    expect(await settledAt(() => served)).toBeLessThan(count / 2);
    client.socket.resume();
    await vi.waitFor(() => expect(client.received.length).toBeGreaterThan(count * 20_000), 5_000);
    await client.until("hello");
    expect(client.received.match(/HTTP\/1.1 200/g)).toHaveLength(count + 1);
  });

  it("gets an answer that waited although the answers after it fill the queue", async () => {
    const { http } = await listen({ maxQueuedBytes: 10_000 });
    const client = new RawClient(http.port);
    const refused = "PUT /mcp HTTP/1.1\r\nhost: localhost\r\n\r\n";
    client.write(rawPost(call("hi")).repeat(2) + refused.repeat(20) + rawPost(call("last")));
    await client.until("last");
    expect(client.received.match(/HTTP\/1.1 (200|405)/g)).toHaveLength(23);
  });

  it("does not count as stalled while its answer waits for that of an earlier request", async () => {
    let release = () => {};
    const { http } = await listen({ stallTimeoutMs: 20 }, (server) => {
      server.tool("big", {}, () => "x".repeat(ANSWER));
      server.tool("wait", {}, async () => {
        await new Promise<void>((resolve) => {
          release = resolve;
        });
        return "waited";
      });
    });
    const client = new RawClient(http.port);
    client.write(rawPost(call("wait")) + rawPost(call("big")) + rawPost(call("hi")));
    // Longer than the limit, as told by another connection that is closed at its end.
    const stalled = new RawClient(http.port);
    stalled.socket.pause();
    stalled.write(rawPost(call("big")).repeat(20));
    await untilClosed(stalled);
    expect(client.received).toBe("");
    release();
    await client.until("hello");
    expect(client.received.match(/HTTP\/1.1 200/g)).toHaveLength(3);
    expect(client.received.length).toBeGreaterThan(ANSWER);
  });

  it("makes room for others where all of them together are over the limit", async () => {
    const runs = { count: 0 };
    const { http } = await listen({ maxTotalQueuedBytes: 3 * ANSWER }, answering(runs));
    const clients = Array.from({ length: 6 }, () => new RawClient(http.port));
    for (const client of clients) {
      client.socket.pause();
      client.write(rawPost(call("big")).repeat(20));
      await settledAt(() => runs.count);
    }
    // The first stalled first; the last is connected still.
    await untilClosed(clients[0] as RawClient);
    const last = clients.at(-1) as RawClient;
    last.socket.resume();
    await vi.waitFor(() => expect(last.received.length).toBeGreaterThan(20 * ANSWER), 5_000);
  });

  it("gets an answer that is larger than every limit, whole", async () => {
    const text = "ü€😀x".repeat(500_000);
    const { http } = await listen({ maxQueuedBytes: 1, maxTotalQueuedBytes: 1 }, (server) => {
      server.tool("huge", {}, () => text);
    });
    const chunks = await (await send(http.url, call("huge"))).toArray();
    const answer = JSON.parse(Buffer.concat(chunks).toString());
    expect(answer.result.content[0].text === text).toBe(true);
  });
});

it("drops a request whose connection has closed, and does not serve it", () => {
  const outputs = new ConnectionOutputs({ maxQueuedBytes: 1, maxTotalQueuedBytes: 1_000_000, stallTimeoutMs: 1_000 });
  const socket = new Socket();
  const response = Object.assign(new EventEmitter(), { req: { socket }, socket }) as unknown as ServerResponse;
  outputs.set(response, 100);
  socket.destroy();
  const request = { serve: vi.fn(), drop: vi.fn() };
  outputs.arrived(response);
  outputs.serveWhenRead(response, request);
  expect(request.serve).not.toHaveBeenCalled();
  expect(request.drop).toHaveBeenCalledOnce();
});
