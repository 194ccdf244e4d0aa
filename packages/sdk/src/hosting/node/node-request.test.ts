import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { expect, it } from "vitest";
import { Quota } from "../../runtime/quota.js";
import { ArrivingBodies } from "../http/request-message.js";
import { ConnectionOutputs } from "./connection-output.js";
import { NodeRequest } from "./node-request.js";

/** A request without `Host`, as HTTP/1.0 has them, over a socket with this address. */
function requestOver(address: { localAddress?: string; localPort?: number }): NodeRequest {
  const request = new IncomingMessage(new Socket());
  for (const [name, value] of Object.entries(address)) Object.defineProperty(request.socket, name, { value });
  request.url = "/mcp";
  const bodies = new ArrivingBodies(1_000, new Quota(10_000, 10_000));
  const outputs = new ConnectionOutputs({ maxQueuedBytes: 1_000, maxTotalQueuedBytes: 1_000, stallTimeoutMs: 1_000 });
  return new NodeRequest(new ServerResponse(request), undefined, bodies, outputs);
}

it.each([
  [{ localAddress: "127.0.0.1", localPort: 3000 }, "http://127.0.0.1:3000/mcp"],
  [{ localAddress: "::1", localPort: 3000 }, "http://[::1]:3000/mcp"],
  [{}, "http://localhost:80/mcp"],
])("a request without Host over %j has the URL %s", (address, url) => {
  expect(requestOver(address).url).toBe(url);
});
