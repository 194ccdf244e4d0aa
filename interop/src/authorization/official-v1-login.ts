/** The official v1 client with a login. */
import { type OAuthDiscoveryState, UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { OAuthClientInformationMixed, OAuthTokens } from "@modelcontextprotocol/sdk/shared/auth.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { textOf } from "../peer-client.js";
import type { LoginClient } from "./login-peer.js";
import { MemoryProvider, type OfficialConnection, withLogins } from "./official-login.js";

export const officialV1Login: LoginClient = {
  name: "official v1",
  packageName: "@modelcontextprotocol/sdk",
  lacks: {},
  departs: { "step-up": { id: "refreshed-instead-of-step-up", complaint: /403 after trying upscoping/ } },
  connect: (url, browser) => {
    const authProvider = new MemoryProvider<OAuthClientInformationMixed, OAuthTokens, OAuthDiscoveryState>(browser);
    const open = (): OfficialConnection => {
      const transport = new StreamableHTTPClientTransport(new URL(url), { authProvider });
      const client = new Client({ name: "interop", version: "1.0.0" });
      return {
        // Its types differ in what may be undefined.
        connect: () => client.connect(transport as Transport),
        callTool: async (name) => textOf((await client.callTool({ name })).content),
        finish: () => transport.finishAuth(authProvider.answer.get("code") ?? ""),
        close: () => client.close(),
      };
    };
    return withLogins(open, (error) => error instanceof UnauthorizedError);
  },
};
