/** HTTP over sockets by Node's own client, without redirects, cookies or retries. */
import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type { HttpReply, SendHttp } from "./http-exchange.js";

export function nodeHttp(url: URL): SendHttp {
  const request = url.protocol === "https:" ? requestHttps : requestHttp;
  return (call, signal) =>
    new Promise<HttpReply>((resolve, reject) => {
      const target = call.path === undefined ? url : new URL(call.path, url);
      const body = call.body === undefined ? undefined : Buffer.from(call.body);
      const headers: Record<string, string | number> = { ...call.headers };
      if (body !== undefined) headers["Content-Length"] = body.length;
      const outgoing = request(target, { method: call.verb, headers, signal }, (incoming) => {
        const received = Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]);
        resolve({ status: incoming.statusCode ?? 0, headers: Object.fromEntries(received), body: incoming });
      });
      outgoing.on("error", reject);
      outgoing.end(body);
    });
}
