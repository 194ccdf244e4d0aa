import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { JsonObject } from "../../../runtime/json.js";
import type { Caller } from "../../../transport/caller.js";
import { classify } from "../../../wire/classify.js";
import { answerRefusals, FakeRequest, FakeResponse, gate, settled, setUpLegacy } from "./http-fakes.fixture.js";
import type { LegacyOptions } from "./legacy-options.js";
import type { SseEndpoint } from "./sse-endpoint.js";

const accept = { accept: "text/event-stream" };

class SseClient {
  readonly stream: FakeResponse;
  readonly #sse: SseEndpoint;
  readonly #caller: Caller | undefined;

  constructor(sse: SseEndpoint, caller?: Caller, headers: Record<string, string> = accept) {
    this.#sse = sse;
    this.#caller = caller;
    const request = new FakeRequest("GET", headers);
    this.stream = new FakeResponse(request);
    void answerRefusals(this.stream, async () => sse.get(request, caller, this.stream));
  }

  get address(): string {
    return this.stream.events[0]?.data ?? "";
  }

  post(body: unknown, query: string = this.address.split("?")[1] ?? "", caller = this.#caller): FakeResponse {
    const request = new FakeRequest("POST", {}, query);
    const response = new FakeResponse(request);
    void answerRefusals(response, async () => this.#sse.post(request, classify(body), caller, response));
    return response;
  }

  /** What came after the address. */
  async received(count: number): Promise<JsonObject[]> {
    await this.stream.ready(() => this.stream.events.length > count);
    return this.stream.events.slice(1).map(({ data }) => JSON.parse(data ?? ""));
  }

  async open(): Promise<this> {
    const params = {
      protocolVersion: "2024-11-05",
      capabilities: { roots: {} },
      clientInfo: { name: "t", version: "1" },
    };
    this.post({ jsonrpc: "2.0", id: 0, method: "initialize", params });
    await this.received(1);
    this.post({ jsonrpc: "2.0", method: "notifications/initialized" });
    return this;
  }
}

function setUp(options: LegacyOptions = {}) {
  const legacy = setUpLegacy({ sse: true, ...options });
  const { sse } = legacy.endpoint;
  if (!sse) throw new Error("HTTP+SSE was asked for");
  return { ...legacy, sse, connect: (caller?: Caller) => new SseClient(sse, caller) };
}

describe("HTTP+SSE of 2024-11-05", () => {
  it("is there if it is asked for, at its paths or yours", () => {
    expect(setUpLegacy().endpoint.sse).toBeUndefined();
    expect(setUp().sse).toMatchObject({ path: "/sse", messagesPath: "/messages" });
    expect(setUp({ sse: { path: "/old" } }).sse).toMatchObject({ path: "/old", messagesPath: "/messages" });
    expect(setUp({ sse: { messagesPath: "/post" } }).sse).toMatchObject({ path: "/sse", messagesPath: "/post" });
  });

  it("begins with where to post, accepts what is posted, and answers on the stream", async () => {
    const { connect, server } = setUp();
    server.tool("count", {}, async (_args, context) => {
      await context.progress(1);
      return `${(await context.listRoots()).length} roots`;
    });
    const client = connect();
    expect(client.stream.events).toEqual([
      { event: "endpoint", data: expect.stringMatching(/^\/messages\?sessionId=[0-9a-f]{40}$/) },
    ]);
    await client.open();
    const call = { name: "count", _meta: { progressToken: "p" } };
    const posted = client.post({ jsonrpc: "2.0", id: 1, method: "tools/call", params: call });
    expect([posted.status, posted.body]).toEqual([202, undefined]);
    const question = (await client.received(3))[2];
    client.post({ jsonrpc: "2.0", id: question?.id, result: { roots: [] } });
    expect(await client.received(4)).toMatchObject([
      { id: 0, result: { protocolVersion: "2024-11-05" } },
      { method: "notifications/progress" },
      { method: "roots/list" },
      { id: 1, result: { content: [{ text: "0 roots" }] } },
    ]);
    expect(client.stream.events[1]).toMatchObject({ event: "message" });
  });

  it("knows 400 for no session, and 404 for one that is unknown, somebody else's or over", async () => {
    const { connect, sse } = setUp();
    const ann = await connect({ principal: "ann" }).open();
    const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
    for (const query of ["", "other=1", "sessionId="]) {
      const response = ann.post(ping, query);
      await response.ended();
      expect(response.status).toBe(400);
    }
    expect((await ann.post(ping, "sessionId=unknown").ended()).status).toBe(404);
    expect((await ann.post(ping, undefined, { principal: "bob" }).ended()).status).toBe(404);
    ann.stream.disconnect();
    expect((await ann.post(ping).ended()).status).toBe(404);
    expect(sse.size).toBe(0);
  });

  it("does not begin what was cancelled before it came", async () => {
    const { connect, server } = setUp();
    const ran: unknown[] = [];
    server.handle("acme/run", (_params, { requestId }) => {
      ran.push(requestId);
      return {};
    });
    const client = await connect().open();
    client.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
    for (const id of [1, 2]) client.post({ jsonrpc: "2.0", id, method: "acme/run" });
    expect((await client.received(2))[1]).toEqual({ jsonrpc: "2.0", id: 2, result: {} });
    expect(ran).toEqual([2]);
  });

  it("ends with its stream: what runs is aborted, and what is sent goes nowhere", async () => {
    const { connect, server, errors } = setUp();
    const [started, aborted] = [gate(), gate()];
    server.tool("wait", {}, async (_args, context) => {
      started.open();
      await new Promise((resolve) => context.signal.addEventListener("abort", resolve));
      aborted.open();
      return "";
    });
    const client = await connect().open();
    client.post({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "wait" } });
    await started.passed;
    client.stream.disconnect();
    await aborted.passed;
    await settled();
    expect(errors).toEqual([]);
  });

  it("lets go of a client that reads too slowly", async () => {
    const { connect, server, sse } = setUp();
    server.tool("add", { input: z.object({}) }, () => "");
    const client = await connect().open();
    client.stream.isFull = true;
    server.announce.toolsChanged();
    await settled();
    expect(sse.size).toBe(0);
  });

  it("has its limits", async () => {
    const { connect, sse, endpoint } = setUp({ maxSessions: 1 });
    expect((await new SseClient(sse, undefined, { accept: "text/html" }).stream.ended()).status).toBe(406);
    const first = connect();
    const second = await connect().stream.ended();
    expect([second.status, second.json]).toMatchObject([503, { error: { message: expect.stringContaining("all 1") } }]);
    await endpoint.close();
    expect([first.stream.isEnded, sse.size]).toEqual([true, 0]);
    expect((await connect().stream.ended()).status).toBe(503);
  });

  it("at the limit ends the oldest stream of a principal that has two more", async () => {
    const { sse } = setUp({ maxSessions: 3 });
    const as = (principal: string) => new SseClient(sse, { principal });
    const greedy = [as("greedy"), as("greedy"), as("greedy")];
    const polite = as("polite");
    expect([...greedy, polite].map(({ stream }) => stream.isEnded)).toEqual([true, false, false, false]);
    expect((await as("greedy").stream.ended()).status).toBe(503);
  });

  it("drains: lets what runs finish or be cancelled, and takes in nothing new", async () => {
    const { connect, server, endpoint } = setUp();
    const [started, released] = [gate(), gate()];
    server.tool("wait", {}, async () => {
      started.open();
      await released.passed;
      return "done";
    });
    const clients = [await connect().open(), await connect().open(), await connect().open()] as const;
    const call = { jsonrpc: "2.0", method: "tools/call", params: { name: "wait" } };
    for (const client of clients) client.post({ ...call, id: 1 });
    clients[0].post(7);
    await started.passed;
    const [finishing, cancelling, leaving] = clients;
    const drained = endpoint.drain(60_000);
    expect((await connect().stream.ended()).status).toBe(503);
    expect((await finishing.post({ ...call, id: 2 }).ended()).status).toBe(503);
    const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } };
    expect((await cancelling.post(cancel).ended()).status).toBe(202);
    leaving.stream.disconnect();
    expect(finishing.stream.isEnded).toBe(false);
    released.open();
    await drained;
    expect(finishing.stream.events.at(-1)?.data).toContain('"done"');
    expect(cancelling.stream.events.at(-1)?.data).not.toContain('"done"');
  });

  it("leaves nothing of a client that is gone before it got its address", async () => {
    const { sse } = setUp();
    const request = new FakeRequest("GET", accept);
    request.isDisconnected = true;
    await sse.get(request, undefined, new FakeResponse(request));
    expect(sse.size).toBe(0);
  });
});
