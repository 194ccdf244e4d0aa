/** Our client with a login. */
import { Client } from "parley-mcp/client";
import { oauth } from "parley-mcp/oauth";
import { textOf } from "../peer-client.js";
import { CALLBACK } from "./form-browser.js";
import type { LoginClient } from "./login-peer.js";

export const ourLogin: LoginClient = {
  name: "Parley",
  packageName: "parley-mcp",
  lacks: {},
  departs: {},
  connect: async (url, browser, now) => {
    const receive = async (page: URL) => (await browser.logIn(page)).url.searchParams;
    const authorization = oauth({ redirect: { redirectUri: CALLBACK, receive }, clientName: "interop", now });
    const client = await Client.connect({ url, authorization }, { name: "interop", version: "1.0.0" });
    return {
      callTool: async (name) => textOf((await client.callTool(name)).content),
      [Symbol.asyncDispose]: () => client.close(),
    };
  },
};
