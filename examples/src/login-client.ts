/** A client for the command line whose user logs in: prints the page to open, and keeps the tokens for the next time. */
import { homedir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Client } from "parley-mcp/client";
import { oauth } from "parley-mcp/oauth";
import { FileCredentialStore, loopbackRedirect } from "parley-mcp/oauth/node";

const { values, positionals } = parseArgs({
  options: {
    tool: { type: "string", default: "whoami" },
    args: { type: "string", default: "{}" },
    "log-out": { type: "boolean", default: false },
  },
  allowPositionals: true,
});
const [url] = positionals;
if (url === undefined) {
  console.error("usage: login-client.js [--tool NAME] [--args JSON] [--log-out] URL");
  process.exit(2);
}

// The browser comes back to a port of this machine. It is released when the program ends.
const redirect = await loopbackRedirect({ open: (page) => console.error(`To go on, open this page:\n${page}`) });

const authorization = oauth({
  redirect,
  clientName: "Library command line",
  store: new FileCredentialStore({ folder: process.env.CREDENTIALS ?? join(homedir(), ".library-cli") }),
});

try {
  if (values["log-out"]) {
    await authorization.logOut(url);
    console.log("logged out");
  } else {
    await call(url);
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  await redirect.close();
}

async function call(url: string): Promise<void> {
  await using client = await Client.connect({ url, authorization }, { name: "library-cli", version: "1.0.0" });
  // The time that the user takes to log in does not count against the call.
  const { content, structuredContent } = await client.callTool(values.tool, JSON.parse(values.args));
  if (structuredContent !== undefined) console.log(JSON.stringify(structuredContent));
  else for (const block of content) if (block.type === "text") console.log(block.text);
}
