/** Node: its own HTTP client, and child processes. */
import { ChildProcessTransport } from "../node/child-process-transport.js";
import { nodeHttp } from "../node/node-http.js";
import type { Platform } from "./platform.js";

export const platform: Platform = { http: nodeHttp(), spawn: (command) => new ChildProcessTransport(command) };
