/** A fault for each check of standard streams that has no twin over HTTP. */
import type { JsonObject } from "../../wire/json-rpc.js";
import { type ClientFault, extraMessage, onMessage } from "./client-fault.fixture.js";

/** By the check that must turn red, for both eras. */
function lineFaults(era: "modern" | "legacy"): Record<string, ClientFault> {
  return {
    // The sender writes text as it is.
    [`client-stdio-${era}-one-line`]: onMessage("tools/list", (message) => JSON.stringify(message, null, 2)),
    [`client-stdio-${era}-line-ends-kept`]: onMessage("tools/call", (message) => {
      const params = message.params as JsonObject;
      return { ...message, params: { ...params, arguments: { text: "first second third fourth" } } };
    }),
    [`client-stdio-${era}-line-ended`]: { off: "ends-lines" },
    [`client-stdio-${era}-input-closed`]: { off: "ends-input" },
  };
}

export const STDIO_FAULTS: Readonly<Record<string, ClientFault>> = {
  ...lineFaults("modern"),
  ...lineFaults("legacy"),
  "client-stdio-probe-silent": { off: "falls-back" },
  "client-stdio-probe-invalid-params": { off: "falls-back" },
  "client-stdio-probe-odd-result": { off: "falls-back" },
  "client-stdio-probe-first": {
    change: (call) => {
      const message = call.message as JsonObject | undefined;
      const early = { jsonrpc: "2.0", id: 910, method: "tools/list", params: message?.params };
      return message?.method === "server/discover" ? [{ ...call, message: early }, call] : call;
    },
    also: ["client-stdio-stderr"],
  },
  "client-stdio-stderr": { off: "ignores-stderr" },
  "client-stdio-unanswered": { off: "ignores-modern-requests" },
  "client-stdio-stubborn-ended": { off: "kills-stubborn" },
  "client-stdio-restarted": { off: "restarts" },
  "client-stdio-handshake-once": extraMessage("tools/call", { id: 911, method: "initialize", params: {} }),
};
