/** Serves our server on Bun, at the port in the environment. */
import { handle } from "../dist/servers/ours-fetch.js";

// The default of ten seconds would end streams that are only quiet.
globalThis.Bun.serve({ port: Number(process.env.PORT), hostname: "127.0.0.1", idleTimeout: 0, fetch: handle });
