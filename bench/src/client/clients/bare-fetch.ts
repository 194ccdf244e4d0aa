/** The same with `fetch`. */
import type { Answer } from "../../workload.js";
import type { Connect } from "../client-contender.js";
import { bareBody, bareHeaders, bareResult } from "./bare-request.js";

export const connect: Connect = async (url, era) => {
  const headers = bareHeaders(era);
  let lastId = 0;
  return {
    call: async (order) => {
      const id = ++lastId;
      const response = await fetch(url, { method: "POST", headers, body: bareBody(era, id, order) });
      return bareResult(id, (await response.json()) as { id?: unknown; result?: Answer }); // Checked by whoever calls.
    },
    stop: async () => undefined,
  };
};
