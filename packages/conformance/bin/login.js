#!/usr/bin/env node
/**
 * Logs a user in for `parley-check --login`, in a process of its own: the checker shares no code with the SDK, and this program
 * uses the SDK's OAuth client. Prints the authorization URL on standard error and writes the access token to descriptor 3.
 */
import { writeSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const TOKEN_DESCRIPTOR = 3;
const PROBE = {
  method: "POST",
  headers: {
    accept: "application/json, text/event-stream",
    "content-type": "application/json",
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "server/discover",
  },
  body: JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "server/discover",
    params: {
      _meta: {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { name: "parley-check", version: "0.0.0" },
        "io.modelcontextprotocol/clientCapabilities": {},
      },
    },
  }),
};

/**
 * Looks beside this package first, then in the folder where the command runs.
 * @param {string} entry
 */
async function importSdk(entry) {
  for (const from of [import.meta.url, pathToFileURL(join(process.cwd(), "parley-check.js"))]) {
    let path;
    try {
      path = createRequire(from).resolve(entry);
    } catch {
      continue;
    }
    return import(pathToFileURL(path).href);
  }
  throw new Error("--login needs the OAuth client of parley-mcp; run `npm install parley-mcp` and try again");
}

/**
 * @param {string} url
 * @param {number} timeoutMs
 * @param {string} clientId
 */
async function logIn(url, timeoutMs, clientId) {
  const { oauth, oauthFetch } = await importSdk("parley-mcp/oauth");
  const { loopbackRedirect } = await importSdk("parley-mcp/oauth/node");
  const redirect = await loopbackRedirect({
    open: (/** @type {URL} */ page) => process.stderr.write(`Log in at ${page.href}\n`),
    timeoutMs,
  });
  let sent = "";
  const authorization = oauth({
    redirect,
    clientName: "parley-check",
    dpop: false,
    loginTimeoutMs: timeoutMs,
    ...(clientId === "" ? {} : { client: { clientId, clientSecret: process.env.PARLEY_CHECK_CLIENT_SECRET } }),
  });
  const send = oauthFetch(authorization, url, {
    fetch: (/** @type {Request} */ request) => {
      sent = request.headers.get("authorization") ?? "";
      return fetch(request);
    },
  });
  const { status, body } = await send(url, PROBE);
  await body?.cancel();
  await redirect.close();
  if (sent === "") throw new Error(`${url} answered HTTP ${status} without a login; leave --login out`);
  if (status === 401 || status === 403) throw new Error(`${url} answered HTTP ${status} with the token of the login`);
  return sent.replace(/^Bearer /i, "");
}

// The checker holds the other end of standard input: a login does not outlive it.
process.stdin.on("end", () => process.exit(1)).resume();

try {
  const [url = "", timeoutMs, clientId = ""] = process.argv.slice(2);
  writeSync(TOKEN_DESCRIPTOR, await logIn(url, Number(timeoutMs), clientId));
  process.exit(0);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
