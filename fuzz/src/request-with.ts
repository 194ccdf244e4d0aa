/** An HTTP request of which only the headers matter. */
import type { HttpRequest } from "../../packages/sdk/src/hosting/http/http-host.js";

export function requestWith(header: (name: string) => string | undefined): HttpRequest {
  return {
    method: "POST",
    url: "http://127.0.0.1/mcp",
    path: "/mcp",
    query: "",
    isLocal: true,
    header,
    headers: () => ({}),
    isDisconnected: false,
    readBody: (_maxBytes, _principal, onText) => onText("", 0),
    onDisconnect: () => undefined,
  };
}
