/** Platform of Node: HTTP calls over `undici`, and child processes. */

import { checkedLookup } from "../node/checked-lookup.js";
import { ChildProcessTransport } from "../node/child-process-transport.js";
import { undiciHttp } from "../node/undici-http.js";
import type { Platform } from "./platform.js";

export const platform: Platform = {
  http: undiciHttp(),
  dispatcherHttp: (dispatcher) => undiciHttp({ dispatcher }),
  checkedHttp: (check) => undiciHttp({ lookup: checkedLookup(check) }),
  spawn: (command) => new ChildProcessTransport(command),
};
