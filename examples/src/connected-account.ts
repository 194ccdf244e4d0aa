/**
 * A tool that uses the user's account at another service. Two logins stay apart: one lets a client use this server, the other
 * lets this server use the account. The client sees no token of the second.
 */
import { serveHttp } from "parley-mcp/node";
import { protectedResource } from "parley-mcp/oauth/resource";
import { authorizationServer, hashPassword } from "parley-mcp/oauth/server";
import { openBookshop } from "./connected-account/bookshop.js";
import { CodeFlow } from "./connected-account/code-flow.js";
import { ConnectPages } from "./connected-account/connect-pages.js";
import { addOrdersTool, ShopAccounts } from "./connected-account/orders-tool.js";
import { createLibrary } from "./library-server.js";

const port = Number(process.env.PORT ?? 3000);
const shopPort = Number(process.env.SHOP_PORT ?? 4000);
const password = process.env.PASSWORD ?? crypto.randomUUID();
const issuer = `http://127.0.0.1:${port}`;
const resource = `${issuer}/mcp`;

// What the operator of the shop would give out on registration.
const atShop = { clientId: "library", clientSecret: crypto.randomUUID(), redirectUris: [`${issuer}/connect/account`] };
const shop = await openBookshop(shopPort, password, { ...atShop, name: "Library" });

// The pages are a client of the authorization server, too. Its tokens are for the pages and open nothing else.
const pagesResource = `${issuer}/connect`;
const atHome = { clientId: "pages", clientSecret: crypto.randomUUID(), redirectUris: [`${issuer}/connect/login`] };
const passwordHash = await hashPassword(password);
const login = authorizationServer({
  issuer,
  resources: [resource, pagesResource],
  users: ["alice", "bob"].map((subject) => ({ subject, passwordHash })),
  clients: [{ ...atHome, name: "Library: connect your bookshop account" }],
});

const server = createLibrary();
const accounts = new ShopAccounts(shop.orders);
const pages = new ConnectPages({
  origin: issuer,
  login: new CodeFlow({ ...flowOf(atHome), issuer, resource: pagesResource }),
  subjectOf: async (accessToken) => {
    const { audience, subject } = await login.verifyAccessToken(accessToken);
    if (audience !== pagesResource) throw new Error(`a token for ${audience} came back to the pages`);
    return subject;
  },
  account: new CodeFlow({ ...flowOf(atShop), issuer: shop.issuer, resource: shop.orders }),
  onConnected: async (subject, accessToken, invitation) => {
    await accounts.keep(subject, accessToken);
    // Legacy clients wait for this; modern ones call again.
    server.announce.elicitationComplete(invitation);
  },
});
addOrdersTool(server, accounts, pages);

const http = await serveHttp(server, {
  port,
  authorization: protectedResource({ resource, issuer, verifier: login.verifyAccessToken }),
  routes: [login.handle, pages.handle],
});

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    shop.close();
    void http.close();
  });
}

console.log(`listening at ${http.url}

  users      alice and bob here, reader-7 and reader-8 at the bookshop
  password   ${process.env.PASSWORD === undefined ? password : "the one in PASSWORD"}, for all of them
`);

function flowOf({ clientId, clientSecret, redirectUris: [redirectUri = ""] }: typeof atShop) {
  return { clientId, clientSecret, redirectUri };
}
