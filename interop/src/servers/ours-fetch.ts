/** Our server as a handler from `Request` to `Response`, for runtimes other than Node. */
import { createFetchHandler } from "parley-mcp/web";
import { ourServer } from "./ours-definition.js";

export const handle: (request: Request) => Promise<Response> = createFetchHandler(ourServer());
