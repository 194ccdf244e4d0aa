/** The clients and servers that log in with each other. */
import { fastMcpLoginServer } from "./fastmcp-server.js";
import { honoLoginServer } from "./hono-server.js";
import type { LoginPair } from "./login-checks.js";
import { mcpAuthLoginServer } from "./mcp-auth-server.js";
import { mcpRemoteLogin } from "./mcp-remote-login.js";
import { ourLoginServer } from "./notes-server.js";
import { officialV1Login } from "./official-v1-login.js";
import { officialV1Router } from "./official-v1-router.js";
import { officialV2Login } from "./official-v2-login.js";
import { oidcLoginServer } from "./oidc-server.js";
import { ourLogin } from "./our-login.js";

const NARROW = { "step-up": "registered for the scopes of the first login alone, and permitted no others" } as const;

export const loginPairs: readonly LoginPair[] = [
  { client: officialV1Login, server: ourLoginServer },
  { client: officialV2Login("modern"), server: ourLoginServer },
  { client: officialV2Login("legacy"), server: ourLoginServer },
  { client: mcpRemoteLogin, server: ourLoginServer },
  { client: officialV1Login, server: oidcLoginServer },
  { client: officialV2Login("modern"), server: oidcLoginServer, lacks: NARROW },
  { client: ourLogin, server: oidcLoginServer },
  { client: ourLogin, server: officialV1Router },
  { client: ourLogin, server: fastMcpLoginServer },
  { client: ourLogin, server: honoLoginServer },
  { client: ourLogin, server: mcpAuthLoginServer },
  { client: ourLogin, server: ourLoginServer },
];
