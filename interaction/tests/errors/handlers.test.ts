import { McpServer, ProtocolError, SdkError, ToolError } from "parley-mcp/server";
import { expect } from "vitest";
import { z } from "zod";
import { verifies } from "../../src/verifies.js";

verifies(
  "protocol:error:method-not-found",
  "a method without handler is -32601 and named, the specification's and anybody's",
  async ({ connect }) => {
    const server = new McpServer({ name: "bare", version: "1.0.0" });
    const client = await connect(server);

    for (const method of ["acme/none", "tools/list", "constructor"]) {
      await expect(client.request(method)).rejects.toMatchObject({
        name: "ProtocolError",
        code: -32601,
        message: expect.stringContaining(method),
      });
    }
  },
);

verifies(
  "errors:message:short",
  "an error about something unknown repeats 100 characters of its name in the message",
  async ({ connect }) => {
    const server = new McpServer({ name: "terse", version: "1.0.0" });
    server.tool("tool", () => "");
    server.prompt("prompt", () => "");
    server.resource("terse://it", { name: "it" }, () => "");
    const client = await connect(server);
    const name = `terse://${"x".repeat(4000)}`;

    const calls = [
      () => client.request(name),
      () => client.callTool(name),
      () => client.getPrompt(name),
      () => client.readResource(name),
    ];

    for (const call of calls) {
      await expect(call()).rejects.toMatchObject({
        name: "ProtocolError",
        message: expect.stringMatching(/: terse:\/\/x{92}…$/),
      });
    }
  },
);

verifies(
  "protocol:error:invalid-params",
  "params of the wrong shape are -32602 with the path and what was expected there",
  async ({ openClient, params }) => {
    const server = new McpServer({ name: "strict", version: "1.0.0" });
    const mustNotRun = () => {
      throw new Error("must not run");
    };
    server.tool("tool", {}, mustNotRun);
    server.prompt("prompt", { input: z.object({ day: z.string() }) }, mustNotRun);
    server.resource("strict://it", { name: "it" }, mustNotRun);
    server.handle("acme/own", { params: z.object({ list: z.array(z.number()) }) }, mustNotRun);
    const peer = await openClient(server);

    const wrong = [
      ["tools/list", { cursor: 7 }, /params\.cursor: expected string/],
      ["tools/call", {}, /params\.name: expected string/],
      ["tools/call", { name: "tool", arguments: [] }, /params\.arguments: expected object/],
      ["prompts/get", { name: "prompt", arguments: { day: 7 } }, /params\.arguments\.day: expected string/],
      ["resources/read", { uri: null }, /params\.uri: expected string/],
      ["acme/own", { list: [1, "two"] }, /params\.list\[1\].*expected number/],
    ] as const;
    for (const [index, [method, own, message]] of wrong.entries()) {
      const answer = await peer.request(index, method, params({ ...own }));
      expect(answer).toMatchObject({ id: index, error: { code: -32602, message: expect.stringMatching(message) } });
    }
  },
);

verifies(
  ["protocol:error:internal-error", "errors:handler:reported"],
  "an exception of a handler is opaque to the caller and told to onError as the cause",
  async ({ connect, wire }) => {
    const reported: Error[] = [];
    const thrown = [
      new Error("password is hunter2"),
      new SdkError("connection-closed", "password is hunter2", { wireCode: -32601 }),
      new ProtocolError(Number.NaN, "password is hunter2"),
      new ToolError("password is hunter2"),
      Object.assign(new Error("password is hunter2"), { code: -32602, data: "hunter2" }),
      { code: -32000, message: "password is hunter2" },
      "password is hunter2",
      undefined,
    ];
    const server = new McpServer({ name: "frail", version: "1.0.0", onError: (error) => void reported.push(error) });
    server.handle("acme/throw", ({ index }) => {
      throw thrown[Number(index)];
    });
    server.handle("acme/reject", ({ index }) => Promise.reject(thrown[Number(index)]));
    const client = await connect(server);

    for (const [index, cause] of thrown.entries()) {
      for (const method of ["acme/throw", "acme/reject"]) {
        const failure = await client.request(method, { index }).catch((error: unknown) => error);
        expect(failure).toMatchObject({ name: "ProtocolError", code: -32603, message: "Internal error" });
        const [report, ...more] = reported.splice(0);
        expect(report).toMatchObject({ name: "SdkError", code: "handler-failed" });
        expect(report?.cause).toBe(cause);
        expect(more).toEqual([]);
      }
    }
    expect(JSON.stringify(wire.from("server"))).not.toMatch(/hunter2|frail\.ts|stack/);
  },
);

verifies(
  "errors:handler:deliberate-internal",
  "a deliberate -32603 keeps its message and data, and nobody is alarmed",
  async ({ connect }) => {
    const reported: Error[] = [];
    const server = new McpServer({ name: "honest", version: "1.0.0", onError: (error) => void reported.push(error) });
    server.tool("fetch", {}, () => {
      throw new ProtocolError(-32603, "The upstream is down", {
        data: { retryAfterMs: 500 },
        cause: new Error("secret"),
      });
    });
    const client = await connect(server);

    const failure = await client.callTool("fetch").catch((error: unknown) => error);

    const expected = { code: -32603, message: "The upstream is down", data: { retryAfterMs: 500 } };
    expect(failure).toMatchObject({ name: "ProtocolError", ...expected });
    expect(failure).not.toHaveProperty("cause");
    expect(reported).toEqual([]);
  },
);

verifies(
  "protocol:error:data-roundtrip",
  "code, message and data of any kind reach the caller unchanged",
  async ({ connect, wire }) => {
    const server = new McpServer({ name: "precise", version: "1.0.0" });
    const errors = [
      new ProtocolError(-31999, "Nested", { data: { list: [1, { deep: "ü" }], nothing: null } }),
      new ProtocolError(1234, "Null", { data: null }),
      new ProtocolError(-1, "False", { data: false }),
      new ProtocolError(0, "Zero", { data: 0 }),
      new ProtocolError(-32602, "Empty text", { data: "" }),
      new ProtocolError(-32768, ""),
    ];
    server.handle("acme/fail", ({ index }) => {
      throw errors[Number(index)];
    });
    const client = await connect(server);

    for (const [index, { code, message, data }] of errors.entries()) {
      const failure = await client.request("acme/fail", { index }).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(ProtocolError);
      expect(failure).toMatchObject({ code, message, data });
    }
    expect(wire.from("server").at(-1)).toHaveProperty("error", { code: -32768, message: "" });
  },
);

verifies(
  "errors:reserved-codes:modern",
  "codes of older revisions and of none go out as one that is defined, with their message, and onError hears of them",
  async ({ connect }) => {
    const reported: Error[] = [];
    const server = new McpServer({ name: "gateway", version: "1.0.0", onError: (error) => void reported.push(error) });
    const fail = ({ code, data }: Record<string, unknown>) => {
      throw new ProtocolError(Number(code), "As it was", { data });
    };
    server.handle("acme/fail", fail);
    server.tool("fail", { input: z.object({ code: z.number() }) }, fail);
    server.resource("gone://", { name: "gone" }, () => fail({ code: -32002, data: { uri: "gone://" } }));
    const client = await connect(server);
    const supported = { supported: ["2027-01-01"], requested: "2026-07-28" };
    const wrong = [-32000, -32001, -32019, -32023, -32042, -32050, -32099].map(
      (code) => [code, -32603, { code }] as const,
    );
    const cases: (readonly [sent: number, received: number, data?: object])[] = [
      ...wrong,
      [-32002, -32602, { uri: "gone://" }],
      [-32021, -32603, { required: {} }],
      [-32022, -32603],
    ];

    for (const [code, answered, data] of cases) {
      const expected = { code: answered, message: "As it was", data };
      await expect(client.request("acme/fail", { code, data })).rejects.toMatchObject(expected);
      expect(reported.splice(0)).toMatchObject([{ name: "SdkError", cause: { code } }]);
    }
    await expect(client.callTool("fail", { code: -32042 })).rejects.toMatchObject({ code: -32603 });
    await expect(client.readResource("gone://")).rejects.toMatchObject({ code: -32602, data: { uri: "gone://" } });
    expect(reported.splice(0)).toHaveLength(2);
    for (const [code, data] of [
      [-32020, undefined],
      [-32021, { requiredCapabilities: { roots: {} } }],
      [-32022, supported],
      [-32100, undefined],
      [-31999, undefined],
    ] as const) {
      await expect(client.request("acme/fail", { code, data })).rejects.toMatchObject({ code, data });
    }
    expect(reported).toEqual([]);
  },
);

verifies(
  "errors:reserved-codes:legacy",
  "an error that claims to require pages goes out only if it names some, and only where that exists",
  async ({ connect, revision }) => {
    const reported: Error[] = [];
    const server = new McpServer({ name: "gateway", version: "1.0.0", onError: (error) => void reported.push(error) });
    server.handle("acme/fail", ({ code, data }) => {
      throw new ProtocolError(Number(code), "As it was", { data });
    });
    const client = await connect(server);
    const page = { mode: "url", message: "Sign in", url: "https://example.com/", elicitationId: "1" };
    const { elicitationId, ...unnamed } = page;

    for (const data of [undefined, {}, { elicitations: [] }, { elicitations: [page, unnamed] }]) {
      const failing = client.request("acme/fail", { code: -32042, data });
      await expect(failing).rejects.toMatchObject({ code: -32603, message: "As it was" });
      expect(reported.splice(0)).toMatchObject([{ name: "SdkError", cause: { code: -32042 } }]);
    }
    const code = revision === "2025-11-25" ? -32042 : -32603;
    const failing = client.request("acme/fail", { code: -32042, data: { elicitations: [page] } });
    await expect(failing).rejects.toMatchObject({ code, data: { elicitations: [page] } });
    await expect(client.request("acme/fail", { code: -32050 })).rejects.toMatchObject({ code: -32050 });
  },
);

verifies(
  "errors:handler:subclass-flattened",
  "a subclass arrives as the base error with equal code, message and data, and nothing else of it",
  async ({ connect }) => {
    class QuotaError extends ProtocolError {
      readonly account = "ada";
    }
    const thrown = new QuotaError(4290, "The quota is used up", { data: { left: 0 } });
    const server = new McpServer({ name: "metered", version: "1.0.0" });
    server.handle("acme/spend", () => {
      throw thrown;
    });
    const client = await connect(server);

    const failure = await client.request("acme/spend").catch((error: unknown) => error);

    expect(failure).not.toBe(thrown);
    expect(Object.getPrototypeOf(failure)).toBe(ProtocolError.prototype);
    expect(failure).toMatchObject({ code: 4290, message: "The quota is used up", data: { left: 0 } });
    expect(failure).not.toHaveProperty("account");
  },
);

verifies(
  "errors:result:unserializable",
  "a result that JSON cannot hold is -32603 to the caller and told to onError",
  async ({ connect }) => {
    const reported: Error[] = [];
    const circular: Record<string, unknown> = {};
    circular.self = circular;
    const throwing = {
      toJSON(): never {
        throw new Error("hunter2");
      },
    };
    const results: object[] = [{ large: 2n ** 64n }, circular, { inside: [throwing] }];
    const server = new McpServer({ name: "odd", version: "1.0.0", onError: (error) => void reported.push(error) });
    server.handle("acme/odd", ({ index }) => results[Number(index)]);
    const client = await connect(server);

    for (const index of results.keys()) {
      const failure = await client.request("acme/odd", { index }).catch((error: unknown) => error);
      expect(failure).toMatchObject({
        name: "ProtocolError",
        code: -32603,
        message: "Internal error",
        data: undefined,
      });
      expect(reported.splice(0)).toMatchObject([{ name: "SdkError", cause: expect.any(Error) }]);
    }
  },
);
