/** Our server over standard input and output. */
import { serveStdio } from "parley-mcp/node";
import { ourServer } from "./ours-definition.js";

await serveStdio(ourServer());
