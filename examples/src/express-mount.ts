/** An MCP endpoint inside an Express application, behind its own middleware and beside its own routes. */
import express, { type NextFunction, type Request, type Response } from "express";
import { createNodeHandler } from "parley-mcp/node";
import { createGreenhouse } from "./greenhouse-server.js";

const users = new Map([["Bearer let-me-in", "gardener"]]);

const mcp = createNodeHandler(createGreenhouse(), {
  // Who sent the request is for the application to say. Handlers read it as `context.caller.principal`.
  caller: ({ headers }) => ({ principal: users.get(String(headers.authorization)) }),
});

const app = express();
app.get("/", (_request, response) => void response.send("The MCP endpoint is at /mcp"));
app.use("/mcp", requireToken);
// A body that the application has parsed already is taken as it is.
app.use(express.json({ limit: "1mb" }));
app.all("/mcp", mcp);

const http = app.listen(Number(process.env.PORT ?? 3000), "127.0.0.1", () => {
  const address = http.address();
  if (address === null || typeof address === "string") throw new Error("expected a port");
  console.log(`listening at http://127.0.0.1:${address.port}/mcp`);
});

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, async () => {
    await mcp.close();
    http.close();
    http.closeIdleConnections();
  });
}

function requireToken(request: Request, response: Response, next: NextFunction): void {
  if (users.has(String(request.headers.authorization))) next();
  else response.status(401).set("WWW-Authenticate", "Bearer").end();
}
