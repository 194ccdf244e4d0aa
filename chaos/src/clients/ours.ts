/** Our client, in either era. */
import { Client, HttpError, ProtocolError, SdkError } from "parley-mcp/client";
import { tasks } from "parley-mcp/tasks";
import type { Verdict } from "../history.js";
import {
  CALL_TIMEOUT_MS,
  type Connect,
  contentOf,
  type LoadClient,
  verdictOfCode,
  verdictOfStatus,
} from "./load-client.js";

export const connectModern: Connect = (url, name) => connect(url, name, "2026-07-28");
/** Calls become tasks, so that one of them runs most often. */
export const connectTasks: Connect = async (url, name) => ({
  ...(await connect(url, name, "2026-07-28")),
  tools: ["work"],
});
export const connectLegacy: Connect = (url, name) => connect(url, name, "2025-11-25");

/** Codes of errors after which the server may have served the call. */
const MAY_BE_SERVED: ReadonlySet<string> = new Set([
  "stream-ended",
  "connection-closed",
  "request-timeout",
  "request-aborted",
]);

async function connect(url: string, name: string, revision: "2025-11-25" | "2026-07-28"): Promise<LoadClient> {
  const isModern = revision === "2026-07-28";
  const client = await Client.connect(
    { url, headers: { "x-client": name }, streams: { initialDelayMs: 50, maxDelayMs: 1_000, maxAttempts: 20 } },
    {
      name,
      version: "1.0.0",
      revision,
      timeoutMs: CALL_TIMEOUT_MS,
      reconnect: { initialDelayMs: 50, maxDelayMs: 1_000, maxAttempts: 40 },
      onError: () => undefined,
      elicit: ({ message }) => ({ action: "accept", content: { answer: message } }),
      extensions: [tasks],
    },
  );
  return {
    tools: isModern
      ? ["echo", "count", "ask", "echo", "work", "change", "wait"]
      : ["echo", "count", "ask", "echo", "resume", "change", "wait"],
    call: async (tool, call, { signal, onEvent }) => {
      const onProgress = ({ progress, message = "" }: { progress: number; message?: string }) =>
        onEvent(progress, message);
      return contentOf(await client.callTool(tool, { call }, { signal, onProgress }));
    },
    watch: async (topics, onHeard) => {
      const subscription = await client.listen({ resource: [...topics] });
      void (async () => {
        for await (const change of subscription) {
          const heard = change.kind === "resource" ? [change.uri] : topics;
          for (const topic of heard) onHeard(topic);
        }
      })();
    },
    verdictOf,
    close: () => client.close(),
  };
}

function verdictOf(error: unknown): Verdict {
  if (error instanceof ProtocolError) return verdictOfCode(error.code, error.data);
  if (error instanceof HttpError) return verdictOfStatus(error.status);
  if (!(error instanceof SdkError)) return "unclear";
  return MAY_BE_SERVED.has(error.code) ? "may be served" : "unclear";
}
