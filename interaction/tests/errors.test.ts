import { McpServer } from "parley-mcp/server";
import { expect } from "vitest";
import { verifies } from "../src/verifies.js";

verifies(
  ["protocol:error:internal-error", "errors:handler:reported"],
  "a crash is opaque to the caller and told to onError with its cause",
  async ({ connect }) => {
    const reported: Error[] = [];
    const secret = new Error("password is hunter2");
    const server = new McpServer({ name: "frail", version: "1.0.0", onError: (error) => void reported.push(error) });
    server.handle("acme/crash", () => {
      throw secret;
    });
    const client = await connect(server);

    const failure = await client.request("acme/crash").catch((error: unknown) => error);

    expect(failure).toMatchObject({ name: "ProtocolError", code: -32603, message: "Internal error", data: undefined });
    expect(reported).toMatchObject([{ name: "SdkError", code: "handler-failed", cause: secret }]);
  },
);

verifies(
  "errors:modern:unsupported-revision",
  "an unknown revision is answered with what was asked for and what is spoken",
  async ({ playClient, params }) => {
    const server = new McpServer({ name: "current", version: "1.0.0", revisions: ["2026-07-28", "2025-11-25"] });
    const peer = await playClient(server);

    const unknown = { "io.modelcontextprotocol/protocolVersion": "1900-01-01" };
    const answer = await peer.request(1, "server/discover", params({ _meta: unknown }));

    expect(answer).toMatchObject({
      id: 1,
      error: { code: -32022, data: { requested: "1900-01-01", supported: ["2026-07-28", "2025-11-25"] } },
    });
  },
);
