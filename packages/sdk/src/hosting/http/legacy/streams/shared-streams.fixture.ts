/** Tools whose streams a test resumes, and the reading of their responses. */
import type { McpServer } from "../../../../server/mcp-server.js";
import { type FakeClient, type FakeResponse, type Gate, gate } from "../http-fakes.fixture.js";

export function streamingTools(): StreamingTools {
  const gates = [gate(), gate(), gate()] as const;
  const define = (server: McpServer) => {
    server.resource("a://b", { name: "b" }, () => "");
    server.tool("quick", () => "done");
    server.tool("steps", async (_args, context) => {
      await context.progress(1);
      await gates[0].passed;
      await context.progress(2);
      await gates[1].passed;
      await context.progress(3);
      await gates[2].passed;
      return "stepped";
    });
    server.tool("away", async (_args, context) => {
      context.closeStream();
      await gates[0].passed;
      return "back";
    });
    server.tool("away-again", async (_args, context) => {
      await context.progress(1);
      await gates[0].passed;
      context.closeStream();
      await gates[1].passed;
      return "back";
    });
  };
  return { define, gates };
}

export interface StreamingTools {
  readonly define: (server: McpServer) => void;
  /** Each lets the tools go on by one step. */
  readonly gates: readonly [Gate, Gate, Gate];
}

export function resume(client: FakeClient, after: string): FakeResponse {
  return client.get({ "last-event-id": after });
}
