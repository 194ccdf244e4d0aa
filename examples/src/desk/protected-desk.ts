/** The desk behind a login: its own authorization server, with one user whose password is made up at each start. */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";
import type { ServeHttpOptions } from "parley-mcp/node";
import { protectedResource } from "parley-mcp/oauth/resource";
import { authorizationServer, hashPassword } from "parley-mcp/oauth/server";

const USER = "guest";
const SCOPES = ["desk"];

export interface Protection {
  /** The port that the issuer names: the given one, or a free one for 0. */
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly options: Pick<ServeHttpOptions, "authorization" | "routes">;
}

export async function protectDesk(wantedPort: number, path: string): Promise<Protection> {
  const port = wantedPort === 0 ? await freePort() : wantedPort;
  const issuer = `http://127.0.0.1:${port}`;
  const resource = `${issuer}${path}`;
  const password = randomBytes(9).toString("base64url");
  const login = authorizationServer({
    issuer,
    resources: [{ resource, scopes: SCOPES }],
    users: [{ subject: USER, passwordHash: await hashPassword(password) }],
  });
  const authorization = protectedResource({
    resource,
    issuer,
    // Asks the server in this process, so that a revoked token is refused without a call over HTTP.
    verifier: login.verifyAccessToken,
    requiredScopes: SCOPES,
    name: "Desk",
  });
  return { port, user: USER, password, options: { authorization, routes: [login.handle] } };
}

/** The issuer is known to clients by its port, so the port is chosen before the server listens. */
async function freePort(): Promise<number> {
  const holder = createServer().listen(0, "127.0.0.1");
  await once(holder, "listening");
  const address = holder.address();
  holder.close();
  await once(holder, "close");
  return address !== null && typeof address === "object" ? address.port : 0;
}
