/** An HTTP server: both eras at one address, a line per exchange, and a stop that lets requests finish. */
import { serveHttp } from "parley-mcp/node";
import { createGreenhouse } from "./greenhouse-server.js";

const http = await serveHttp(createGreenhouse(), {
  port: Number(process.env.PORT ?? 3000),

  // This machine alone, which is the default. To be reached from elsewhere, listen on "0.0.0.0", name the hosts that
  // clients ask for in `allowedHosts`, and say who they are with `authenticate`.
  host: "127.0.0.1",
  path: "/mcp",

  // Every limit is an option.
  maxBodyBytes: 1024 * 1024,
  shutdownGraceMs: 2_000,
  legacy: { maxSessions: 100 },

  onResponse: ({ era = "-", verb, method = verb, name = "", status = "gone", ms }) =>
    console.log(`${era} ${method} ${name} ${status} ${ms.toFixed(1)} ms`),
  onRefusal: (error) => console.log(`refused: ${error.message}`),
});

for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void http.close());

console.log(`listening at ${http.url}`);
