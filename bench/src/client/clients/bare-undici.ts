/** The least that any client has to do, over the fastest HTTP client there is for Node. */
import { Agent } from "undici";
import type { Answer } from "../../workload.js";
import type { Connect } from "../client-contender.js";
import { bareBody, bareHeaders, bareResult } from "./bare-request.js";

export const connect: Connect = async (url, era) => {
  const agent = new Agent();
  const headers = bareHeaders(era);
  const { origin, pathname: path } = new URL(url);
  let lastId = 0;
  return {
    call: (order) => {
      const id = ++lastId;
      const body = bareBody(era, id, order);
      return new Promise<Answer>((resolve, reject) => {
        const chunks: Buffer[] = [];
        agent.dispatch(
          { origin, path, method: "POST", headers, body },
          {
            onRequestStart: () => undefined,
            onResponseStart: () => undefined,
            onResponseData: (_controller, chunk) => void chunks.push(chunk),
            onResponseEnd: () => {
              try {
                resolve(bareResult(id, JSON.parse(Buffer.concat(chunks).toString("utf8"))));
              } catch (error) {
                reject(error);
              }
            },
            onResponseError: (_controller, error) => reject(error),
          },
        );
      });
    },
    stop: () => agent.close(),
  };
};
