/** The client of the official SDK, first major version. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport, StreamableHTTPError } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { ElicitRequestSchema, McpError, ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import type { Verdict } from "../history.js";
import {
  CALL_TIMEOUT_MS,
  type Connect,
  contentOf,
  reportAnswer,
  ToolFailed,
  verdictOfCode,
  verdictOfStatus,
} from "./load-client.js";
import { RECONNECTION } from "./reconnection.js";

export const connect: Connect = async (url, name, onAnswerAgain) => {
  const client = new Client({ name, version: "1.0.0" }, { capabilities: { elicitation: { form: {} } } });
  client.onerror = (error) => reportAnswer(error, onAnswerAgain);
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => ({
    action: "accept",
    content: { answer: params.message },
  }));
  const requestInit = { headers: { "x-client": name } };
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit, reconnectionOptions: RECONNECTION });
  // Its types leave out that optional members may be undefined.
  await client.connect(transport as Transport);
  return {
    tools: ["echo", "count", "ask", "echo", "resume", "change", "wait"],
    call: async (tool, call, { signal, onEvent }) => {
      const onprogress = ({ progress, message = "" }: { progress: number; message?: string | undefined }) =>
        onEvent(progress, message);
      const options = { signal, onprogress, timeout: CALL_TIMEOUT_MS };
      return contentOf(await client.callTool({ name: tool, arguments: { call } }, undefined, options));
    },
    watch: async (topics, onHeard) => {
      client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => onHeard(params.uri));
      for (const uri of topics) await client.subscribeResource({ uri });
    },
    verdictOf,
    close: async () => {
      await transport.terminateSession();
      await client.close();
    },
  };
};

/** Its errors say less: any of them but a refusal and a lost session leaves open whether the call was served. */
function verdictOf(error: unknown): Verdict {
  if (error instanceof ToolFailed) return "unclear";
  if (error instanceof McpError && verdictOfCode(error.code, error.data) === "not served") return "not served";
  const verdict = error instanceof StreamableHTTPError ? verdictOfStatus(error.code) : "unclear";
  return verdict === "unclear" ? "may be served" : verdict;
}
