/** Node: its own HTTP client, and child processes. */

import { checkedLookup } from "../node/checked-lookup.js";
import { ChildProcessTransport } from "../node/child-process-transport.js";
import { nodeHttp } from "../node/node-http.js";
import type { Platform } from "./platform.js";

export const platform: Platform = {
  http: nodeHttp(),
  checkedHttp: (check) => nodeHttp({ lookup: checkedLookup(check) }),
  spawn: (command) => new ChildProcessTransport(command),
};
