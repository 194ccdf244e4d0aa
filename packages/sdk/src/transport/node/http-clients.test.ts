/** Both HTTP clients against a real server. */
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { createServer, type RequestListener, type Server } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import { Agent } from "undici";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { CallController } from "../http/call-controller.js";
import { fetchHttp } from "../http/fetch-http.js";
import type { HttpCall } from "../http/http-call.js";
import { undiciHttp } from "./undici-http.js";

const servers: Server[] = [];

afterEach(() => {
  vi.useRealTimers();
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(listener: RequestListener) {
  const sockets: Socket[] = [];
  const server = createServer(listener);
  server.on("connection", (socket) => sockets.push(socket));
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
  const controller = new CallController();
  const call: HttpCall = { method: "POST", url, headers: { "x-one": "1" }, body: "{}", controller };
  return { call, controller, sockets };
}

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

describe.each([
  ["undiciHttp", () => undiciHttp()],
  ["fetchHttp", () => fetchHttp((url, init) => fetch(url, init))],
])("%s", (_name, make) => {
  it("sends method, headers and body, and reads status, headers and body", async () => {
    const { call } = await serve((request, response) => {
      const parts: Uint8Array[] = [];
      request.on("data", (part) => parts.push(part));
      request.on("end", () => {
        response.writeHead(418, { "x-two": ["a", "b"], "set-cookie": ["c=1", "d=2"] });
        response.end(`${request.method} ${request.headers["x-one"]} ${parts.map(text).join("")}`);
      });
    });
    const answer = await make()(call);
    expect(answer.status).toBe(418);
    expect(answer.header("x-two")).toBe("a, b");
    expect(answer.header("set-cookie")).toBe("c=1, d=2");
    expect(answer.header("x-three")).toBeUndefined();
    expect(text(await answer.body(100))).toBe("POST 1 {}");
  });

  it("carries bodies of megabytes, up to the limit", async () => {
    const { call } = await serve((_request, response) => response.end("x".repeat(3_000_000)));
    const http = make();
    expect((await (await http(call)).body(3_000_000)).byteLength).toBe(3_000_000);
    await expect((await http(call)).body(2_999_999)).rejects.toMatchObject({ code: "too-large" });
  });

  it("reads a stream as it comes, and does not follow redirects", async () => {
    let end = () => {};
    const { call } = await serve((_request, response) => {
      response.writeHead(307, { location: "/other" });
      response.write("one");
      end = () => response.end("two");
    });
    const answer = await make()(call);
    expect([answer.status, answer.header("location")]).toEqual([307, "/other"]);
    const seen: string[] = [];
    for await (const chunk of answer.chunks()) {
      seen.push(text(chunk));
      end();
    }
    expect(seen).toEqual(["one", "two"]);
  });

  it("rejects when nobody listens, and when the connection breaks before or within the body", async () => {
    const http = make();
    const { call } = await serve((request, response) => {
      if (request.headers["x-when"] === "before") {
        request.socket.destroy();
        return;
      }
      response.write("one");
      setImmediate(() => request.socket.destroy());
    });
    await expect(http({ ...call, headers: { "x-when": "before" } })).rejects.toThrow();
    const whole = await http(call);
    await expect(whole.body(100)).rejects.toThrow();
    const streamed = await http(call);
    const reading = async () => {
      for await (const chunk of streamed.chunks()) expect(text(chunk)).toBe("one");
    };
    await expect(reading()).rejects.toThrow();
    await expect(http({ ...call, url: new URL("http://127.0.0.1:1/") })).rejects.toThrow();
  });

  it.each(["before the call", "before the response", "within the body"])(
    "ends when its controller says so %s",
    async (when) => {
      let arrived = () => {};
      const gone = new Promise<void>((resolve) => {
        arrived = resolve;
      });
      let isCalled = () => {};
      const called = new Promise<void>((resolve) => {
        isCalled = resolve;
      });
      const { call, controller } = await serve((request, response) => {
        request.on("close", arrived);
        if (when === "within the body") response.write("one");
        isCalled();
      });
      const reason = new Error("enough");
      if (when === "before the call") {
        controller.abort(reason);
        await expect(make()(call)).rejects.toBe(reason);
        return;
      }
      const calling = make()(call);
      if (when === "before the response") {
        await called;
        controller.abort(reason);
        await expect(calling).rejects.toBe(reason);
      } else {
        const reading = async () => {
          for await (const _chunk of (await calling).chunks()) controller.abort(reason);
        };
        await expect(reading()).rejects.toBe(reason);
      }
      await gone;
    },
  );

  it("discards what is left, and the server notices if that is endless", async () => {
    let arrived = () => {};
    const gone = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const { call } = await serve((_request, response) => {
      response.on("close", arrived);
      response.write("one");
    });
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const answer = await make()(call);
    for await (const chunk of answer.chunks()) {
      expect(text(chunk)).toBe("one");
      break;
    }
    answer.discard();
    vi.advanceTimersByTime(1_000);
    vi.useRealTimers();
    await gone;
  });
});

describe("undiciHttp", () => {
  /** Resolves when a call that is made meanwhile is over, as undici sees it. */
  const watchEnd = () => {
    const channels = ["undici:request:trailers", "undici:request:error"];
    return new Promise<void>((resolve) => {
      const seeEnd = () => {
        for (const channel of channels) unsubscribe(channel, seeEnd);
        resolve();
      };
      for (const channel of channels) subscribe(channel, seeEnd);
    });
  };

  it("calls again over the same connection, whichever way the body was read", async () => {
    const { call, sockets } = await serve((_request, response) => response.end("done"));
    const http = undiciHttp();
    await (await http(call)).body(100);
    for await (const chunk of (await http(call)).chunks()) expect(text(chunk)).toBe("done");
    (await http({ ...call, method: "GET" })).discard();
    expect(sockets).toHaveLength(1);
  });

  it("keeps the connection of a response that ends soon after it was discarded", async () => {
    let end = () => {};
    const { call, sockets } = await serve((_request, response) => {
      response.write("one");
      end = () => response.end("two");
    });
    const http = undiciHttp();
    const over = watchEnd();
    const answer = await http(call);
    for await (const _chunk of answer.chunks()) break;
    answer.discard();
    end();
    await over;
    (await http(call)).discard();
    expect(sockets).toHaveLength(1);
  });

  it.each([
    ["64 KiB of a response that was discarded", undefined],
    ["no more of a response whose reader failed", new Error("too large")],
  ])("reads %s, and closes the connection", async (_what, error) => {
    let goOn = () => {};
    const { call, sockets } = await serve((_request, response) => {
      response.write("one");
      const write = () => {
        while (!response.destroyed && response.write("x".repeat(65_536)));
      };
      goOn = write;
      response.on("drain", write);
    });
    // The time to drain does not pass.
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const answer = await undiciHttp()(call);
    for await (const _chunk of answer.chunks()) break;
    const socket = sockets[0] as Socket;
    const closed = new Promise((resolve) => socket.once("close", resolve));
    answer.discard(error);
    if (error === undefined) goOn();
    await closed;
    // The buffers of both sockets hold a few megabytes.
    expect(socket.bytesWritten - socket.writableLength).toBeLessThan(16_777_216);
  });

  it("survives a discarded response that breaks", async () => {
    let close = () => {};
    const { call } = await serve((request, response) => {
      response.write("one");
      close = () => request.socket.destroy();
    });
    const over = watchEnd();
    const answer = await undiciHttp()(call);
    answer.discard();
    close();
    await over;
  });

  it("outlives a server that answers before it has read the request, and then resets the connection", async () => {
    const refusal = "HTTP/1.1 413 Too Large\r\ncontent-length: 3\r\n\r\nbig";
    const server = createTcpServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", () => socket.pause().write(refusal, () => socket.resetAndDestroy()));
    });
    onTestFinished(() => void server.close());
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
    const endings: Promise<unknown>[] = [];
    const seeSocket = (message: unknown) => {
      const { socket } = message as { socket: Socket };
      endings.push(new Promise((resolve) => socket.once("close", resolve)));
    };
    subscribe("net.client.socket", seeSocket);
    onTestFinished(() => void unsubscribe("net.client.socket", seeSocket));
    const uncaught = vi.fn();
    process.on("uncaughtException", uncaught);
    onTestFinished(() => void process.off("uncaughtException", uncaught));
    const http = undiciHttp();
    for (let count = 0; count < 5; count += 1) {
      // Whether the answer or the reset is seen first is up to the kernel.
      await http({ method: "POST", url, headers: {}, body: "x".repeat(5_000_000), controller: new CallController() })
        .then((answer) => answer.body(100))
        .catch(() => undefined);
    }
    await Promise.all(endings);
    expect(endings).toHaveLength(5);
    expect(uncaught).not.toHaveBeenCalled();
  });

  it("tells when a request has left, or never will", async () => {
    const server = createTcpServer({ pauseOnConnect: true });
    const connected = new Promise<Socket>((resolve) => server.on("connection", resolve));
    onTestFinished(() => void server.close());
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
    const controller = new CallController();
    const http = undiciHttp();
    const calling = http({ method: "POST", url, headers: {}, body: "x".repeat(20_000_000), controller });
    const warned = vi.fn();
    process.on("warning", warned);
    onTestFinished(() => void process.off("warning", warned));
    const heard = vi.fn();
    // As often as a batch has requests that may be cancelled.
    const left = Promise.all(Array.from({ length: 20 }, () => controller.sent())).then(heard);
    const socket = await connected;
    await new Promise((resolve) => setImmediate(resolve));
    expect(heard).not.toHaveBeenCalled();
    expect(warned).not.toHaveBeenCalled();
    socket.on("error", () => {}).resume();
    await left;
    await controller.sent();
    controller.abort(new Error("enough"));
    await expect(calling).rejects.toThrow("enough");
    await controller.sent();
  });

  it("has sent a call that is being answered, also for those who ask only then", async () => {
    let end = () => {};
    const { call, controller } = await serve((_request, response) => {
      response.write("one");
      end = () => response.end();
    });
    const answer = await undiciHttp()(call);
    await controller.sent();
    end();
    expect(text(await answer.body(100))).toBe("one");
  });

  it.each([
    ["host", "elsewhere.example"],
    ["content-length", "2"],
  ])("leaves %s to the application", async (name, value) => {
    const { call } = await serve((request, response) => response.end(JSON.stringify(request.headers)));
    const answer = await undiciHttp()({ ...call, headers: { [name]: value } });
    const seen = JSON.parse(text(await answer.body(1_000)));
    expect(seen[name]).toBe(value);
    expect(["content-length", "transfer-encoding"].filter((each) => each in seen)).toHaveLength(1);
  });

  it("refuses headers that are the connection's own, and those that are none", async () => {
    const { call } = await serve((_request, response) => response.end());
    const http = undiciHttp();
    for (const [name, value] of [
      ["transfer-encoding", "chunked"],
      ["x-one", "a\nb"],
    ] as const) {
      await expect(http({ ...call, headers: { [name]: value } })).rejects.toThrow(`invalid ${name} header`);
    }
  });

  it("watches a connection once, however many calls it carries", async () => {
    const { call } = await serve((_request, response) => response.end("done"));
    const sockets = new Set<Socket>();
    const seeSocket = (message: unknown) => void sockets.add((message as { socket: Socket }).socket);
    subscribe("net.client.socket", seeSocket);
    onTestFinished(() => void unsubscribe("net.client.socket", seeSocket));
    const http = undiciHttp();
    const watchers: (number | undefined)[] = [];
    for (let count = 0; count < 3; count += 1) {
      await (await http(call)).body(100);
      watchers.push([...sockets][0]?.listenerCount("error"));
    }
    expect(sockets.size).toBe(1);
    expect(new Set(watchers).size).toBe(1);
  });

  it("sends no call that is aborted while undici is loaded, or while the events of sockets are read", async () => {
    const requests: (string | undefined)[] = [];
    const { call } = await serve((request, response) => {
      requests.push(request.url);
      response.end("done");
    });
    const http = undiciHttp();
    const reason = new Error("enough");
    const abort = async () => {
      const controller = new CallController();
      const answer = http({ ...call, controller });
      const sent = controller.sent();
      controller.abort(reason);
      await expect(answer).rejects.toBe(reason);
      await sent;
    };
    await abort();
    await (await http({ ...call, controller: new CallController() })).body(100);
    await new Promise((resolve) => setImmediate(resolve));
    await abort();
    expect(requests).toHaveLength(1);
  });

  it("reads the response that follows an informational one", async () => {
    const { call } = await serve((_request, response) => {
      response.writeEarlyHints({ link: "</style.css>; rel=preload" });
      response.end("done");
    });
    const answer = await undiciHttp()(call);
    expect([answer.status, text(await answer.body(100))]).toEqual([200, "done"]);
  });

  it.each<[string, RequestListener, string]>([
    [
      "100 Continue",
      (_, response) => response.writeContinue(),
      "100 Continue, which the request did not ask for; switch",
    ],
    [
      "101 Switching Protocols",
      (_, response) => response.writeHead(101, { connection: "upgrade", upgrade: "websocket" }).end(),
      "101 Switching Protocols, which the request did not ask for; check that the URL",
    ],
  ])("says what to do about an unsolicited %s", async (_status, listener, advice) => {
    const { call } = await serve(listener);
    await expect(undiciHttp()(call)).rejects.toThrow(advice);
  });

  /** Counts the bytes of responses that arrive, until none has for 50 turns of the event loop. */
  const countArriving = async () => {
    let bytes = 0;
    let quietTurns = 0;
    const count = (message: unknown) => {
      bytes += (message as { chunk: Uint8Array }).chunk.length;
      quietTurns = 0;
    };
    subscribe("undici:request:bodyChunkReceived", count);
    for (; quietTurns < 50; quietTurns += 1) await new Promise((resolve) => setImmediate(resolve));
    unsubscribe("undici:request:bodyChunkReceived", count);
    return bytes;
  };

  it("stops reading the connection while a megabyte waits for its reader, and goes on afterwards", async () => {
    const { call } = await serve((_request, response) => response.end("x".repeat(8_000_000)));
    const answer = await undiciHttp()(call);
    expect(await countArriving()).toBeLessThan(2_000_000);
    expect((await answer.body(8_000_000)).length).toBe(8_000_000);
  });

  it.each([
    ["is not kept alive", { connection: "close", "content-length": "8000000" }],
    ["ends with its connection", { connection: "close" }],
  ])("ends a response that nobody reads if it %s, whichever way the server closes", async (_name, headers) => {
    const uncaught = vi.fn();
    process.on("uncaughtException", uncaught);
    onTestFinished(() => void process.off("uncaughtException", uncaught));
    const { call, sockets } = await serve((_request, response) => {
      response.writeHead(200, headers);
      response.end("x".repeat(8_000_000));
    });
    const answer = await undiciHttp()(call);
    const closed = new Promise((resolve) => sockets[0]?.once("close", resolve));
    await closed;
    await expect(answer.body(8_000_000)).rejects.toThrow("1048576 bytes of the response wait to be read");
    expect(uncaught).not.toHaveBeenCalled();
  });

  it("ends the attempt to connect with its call", async () => {
    const sockets: Socket[] = [];
    const seeSocket = (message: unknown) => void sockets.push((message as { socket: Socket }).socket);
    subscribe("net.client.socket", seeSocket);
    onTestFinished(() => void unsubscribe("net.client.socket", seeSocket));
    const controller = new CallController();
    const reason = new Error("enough");
    let isLookingUp = () => {};
    const lookingUp = new Promise<void>((resolve) => {
      isLookingUp = resolve;
    });
    const http = undiciHttp({ lookup: () => isLookingUp() });
    const calling = http({ method: "GET", url: new URL("http://mcp.example/"), headers: {}, controller });
    await lookingUp;
    const left = controller.sent();
    controller.abort(reason);
    await expect(calling).rejects.toBe(reason);
    await left;
    expect(sockets.map(({ destroyed }) => destroyed)).toEqual([true]);
    controller.abort(new Error("again"));
  });

  it("connects anew after the server has closed an idle connection", async () => {
    const { call, sockets } = await serve((_request, response) => response.end("done"));
    const http = undiciHttp();
    const others = await Promise.all([http(call), http(call)]);
    for (const answer of others) await answer.body(100);
    const closed = sockets.splice(0).map((socket) => new Promise((resolve) => socket.once("close", resolve).destroy()));
    await Promise.all(closed);
    expect(text(await (await http(call)).body(100))).toBe("done");
    expect(sockets).toHaveLength(1);
  });

  it("sends over a dispatcher of the application's", async () => {
    const { call } = await serve((_request, response) => response.end("done"));
    const agent = new Agent();
    onTestFinished(() => agent.destroy());
    const dispatch = vi.spyOn(agent, "dispatch");
    expect(text(await (await undiciHttp({ dispatcher: agent })(call)).body(100))).toBe("done");
    expect(dispatch.mock.calls[0]?.[0]).toMatchObject({ method: "POST", origin: call.url.origin, path: "/mcp" });
  });

  it("speaks TLS to https URLs", async () => {
    const { call } = await serve((_request, response) => response.end());
    const url = new URL(call.url.href.replace("http:", "https:"));
    await expect(undiciHttp()({ ...call, url })).rejects.toMatchObject({
      code: expect.stringMatching(/SSL|EPROTO|ECONNRESET/),
    });
  });
});
