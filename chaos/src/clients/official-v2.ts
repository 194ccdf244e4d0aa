/** The client of the official SDK, second major version, in either era. */
import { Client, ProtocolError, SdkHttpError, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { Verdict } from "../history.js";
import {
  CALL_TIMEOUT_MS,
  type Connect,
  contentOf,
  type LoadClient,
  reportAnswer,
  ToolFailed,
  verdictOfCode,
  verdictOfStatus,
} from "./load-client.js";
import { RECONNECTION } from "./reconnection.js";

export const connectModern: Connect = (...args) => connect("auto", ...args);
export const connectLegacy: Connect = (...args) => connect("legacy", ...args);

async function connect(
  mode: "auto" | "legacy",
  ...[url, name, onAnswerAgain]: Parameters<Connect>
): Promise<LoadClient> {
  const client = new Client(
    { name, version: "1.0.0" },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode } },
  );
  client.onerror = (error) => reportAnswer(error, onAnswerAgain);
  client.setRequestHandler("elicitation/create", ({ params }) => ({
    action: "accept",
    content: { answer: params.message },
  }));
  const requestInit = { headers: { "x-client": name } };
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit, reconnectionOptions: RECONNECTION });
  await client.connect(transport);
  const isModern = mode === "auto";
  const loadClient: LoadClient = {
    tools: isModern
      ? ["echo", "count", "ask", "change", "wait"]
      : ["echo", "count", "ask", "echo", "resume", "change", "wait"],
    call: async (tool, call, { signal, onEvent }) => {
      const onprogress = ({ progress, message = "" }: { progress: number; message?: string | undefined }) =>
        onEvent(progress, message);
      const options = { signal, onprogress, timeout: CALL_TIMEOUT_MS };
      return contentOf(await client.callTool({ name: tool, arguments: { call } }, options));
    },
    verdictOf,
    close: async () => {
      await transport.terminateSession();
      await client.close();
    },
  };
  if (isModern) return loadClient;
  return {
    ...loadClient,
    watch: async (topics, onHeard) => {
      client.setNotificationHandler("notifications/resources/updated", ({ params }) => onHeard(params.uri));
      for (const uri of topics) await client.subscribeResource({ uri });
    },
  };
}

/** Its errors say less: any of them but a refusal and a lost session leaves open whether the call was served. */
function verdictOf(error: unknown): Verdict {
  if (error instanceof ToolFailed) return "unclear";
  if (error instanceof ProtocolError && verdictOfCode(error.code, error.data) === "not served") return "not served";
  const verdict = error instanceof SdkHttpError ? verdictOfStatus(error.status) : "unclear";
  return verdict === "unclear" ? "may be served" : verdict;
}
