/**
 * A client of a protected server that shares the credentials of a folder with other processes. It connects, says `ready`,
 * and waits for a line. Then its token has expired: it makes its calls at once, and says how many were answered. It cannot
 * log in. If `dies` is set, it is killed before the refreshed token gets its name in the folder. Runs on the built package.
 */
import fs from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { createInterface } from "node:readline/promises";

const { url, folder, clientId, aheadMs, calls, dies } = JSON.parse(process.argv[2] ?? "");
const { rename } = fs;
let isExpired = false;

fs.rename = async (from, to) => {
  if (dies && isExpired) process.kill(process.pid, "SIGKILL");
  await rename(from, to);
};
// From here on, imports of the module get the replaced function.
syncBuiltinESMExports();

const { Client } = await import("parley-mcp/client");
const { oauth } = await import("parley-mcp/oauth");
const { FileCredentialStore } = await import("parley-mcp/oauth/node");

const authorization = oauth({
  store: new FileCredentialStore({ folder }),
  client: { clientId },
  // The time of a proof would be wrong.
  dpop: false,
  now: () => Date.now() + (isExpired ? aheadMs : 0),
});
const client = await Client.connect({ url, authorization }, { name: "refreshing-client", version: "1.0.0" });
const input = createInterface({ input: process.stdin });
console.log("ready");
await new Promise((resolve) => input.once("line", resolve));
input.close();
isExpired = true;
const results = await Promise.all(Array.from({ length: calls }, () => client.callTool("add")));
await client.close();
console.log(`${results.length} answered`);
