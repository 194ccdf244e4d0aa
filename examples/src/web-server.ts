/** Runs the web-standard handler on Node, through an adapter from `Request` and `Response` to `node:http`. */
import { serve } from "@hono/node-server";
import { close, fetch } from "./web-handler.js";

const port = Number(process.env.PORT ?? 3000);

const http = serve({ fetch, port, hostname: "127.0.0.1" }, (address) =>
  console.log(`listening at http://127.0.0.1:${address.port}/mcp`),
);

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, async () => {
    // First the handler, which lets requests finish and ends streams, then the sockets.
    await close();
    http.close();
  });
}
