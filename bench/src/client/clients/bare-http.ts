/** The same with `node:http`. */
import { Agent, type IncomingMessage, request } from "node:http";
import type { Answer } from "../../workload.js";
import type { Connect } from "../client-contender.js";
import { bareBody, bareHeaders, bareResult } from "./bare-request.js";

export const connect: Connect = async (url, era) => {
  const agent = new Agent({ keepAlive: true });
  const headers = bareHeaders(era);
  const { hostname, port, pathname } = new URL(url);
  let lastId = 0;
  return {
    call: (order) => {
      const id = ++lastId;
      const body = bareBody(era, id, order);
      return new Promise<Answer>((resolve, reject) => {
        const sent = { ...headers, "content-length": Buffer.byteLength(body) };
        const post = request({ hostname, port, path: pathname, method: "POST", agent, headers: sent });
        post.on("error", reject);
        post.on("response", (response: IncomingMessage) => {
          const chunks: Buffer[] = [];
          response.on("data", (chunk: Buffer) => chunks.push(chunk));
          response.on("error", reject);
          response.on("end", () => {
            try {
              resolve(bareResult(id, JSON.parse(Buffer.concat(chunks).toString("utf8"))));
            } catch (error) {
              reject(error);
            }
          });
        });
        post.end(body);
      });
    },
    stop: async () => agent.destroy(),
  };
};
