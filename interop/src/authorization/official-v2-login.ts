/** The official v2 client with a login, in either era. */
import {
  Client,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import { type Era, textOf } from "../peer-client.js";
import type { LoginClient } from "./login-peer.js";
import { MemoryProvider, type OfficialConnection, withLogins } from "./official-login.js";

type Stored<Method extends "clientInformation" | "tokens"> = Exclude<
  Awaited<ReturnType<OAuthClientProvider[Method]>>,
  undefined
>;

export function officialV2Login(era: Era): LoginClient {
  return {
    name: era === "modern" ? "official v2" : "official v2, legacy era",
    packageName: "@modelcontextprotocol/client",
    lacks: {},
    departs: {},
    connect: (url, browser) => {
      const authProvider = new MemoryProvider<Stored<"clientInformation">, Stored<"tokens">, OAuthDiscoveryState>(
        browser,
      );
      const open = (): OfficialConnection => {
        const transport = new StreamableHTTPClientTransport(new URL(url), { authProvider });
        const mode = era === "modern" ? "auto" : "legacy";
        const client = new Client({ name: "interop", version: "1.0.0" }, { versionNegotiation: { mode } });
        return {
          connect: () => client.connect(transport),
          callTool: async (name) => textOf((await client.callTool({ name })).content),
          finish: () => transport.finishAuth(authProvider.answer),
          close: () => client.close(),
        };
      };
      return withLogins(open, (error) => error instanceof UnauthorizedError);
    },
  };
}
