/** A protected server whose tokens come from an authorization server elsewhere. It fetches that one's keys and checks signatures. */
import { serveHttp } from "parley-mcp/node";
import { protectedResource } from "parley-mcp/oauth/resource";
import { createLibrary, LIBRARY_SCOPES } from "./library-server.js";

const port = Number(process.env.PORT ?? 3000);

const authorization = protectedResource({
  // The URL that clients use. Tokens for any other audience are refused.
  resource: `http://127.0.0.1:${port}/mcp`,
  // Exactly as the issuer's metadata names it, e.g. "https://login.example.com" or "https://example.eu.auth0.com/".
  issuer: process.env.ISSUER ?? "http://127.0.0.1:4000",
  scopesSupported: [LIBRARY_SCOPES.read],
  name: "Library",
});

// Reads the issuer's metadata and keys before it listens, so a mistake in the issuer shows here and not at a user.
const http = await serveHttp(createLibrary(), { port, authorization }).catch((error: Error) => {
  console.error(error.message);
  process.exit(1);
});

for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void http.close());

console.log(`listening at ${http.url}`);
