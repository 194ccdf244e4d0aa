/** How sessions and connections end. */
import type { HttpTap } from "../wire/http-tap.js";
import { type Check, eventually, expect, expectEqual, expectText } from "./trial.js";

const PING = JSON.stringify({ jsonrpc: "2.0", id: "after the end", method: "ping" });

/** Somebody else ends the session; the client is to begin a new one. */
export const sessionForgotten: Check = async ({ client, exhibit: { echo }, http }) => {
  const lost = http?.sessionId;
  expect(http !== undefined && lost !== undefined, "there is no session");
  const { status } = await fetch(http.url, { method: "DELETE", headers: sessionHeaders(lost, client.revision) });
  expect(status < 300, `ending the session from outside was answered with ${status}`);
  expectText(await client.callTool(echo.tool, { [echo.argument]: "again" }), "again");
  expect(http.sessionId !== lost, "no new session was begun");
};

export const sessionDeletion: Check = async (trial) => {
  const { client, http } = trial;
  const session = http?.sessionId;
  expect(http !== undefined && session !== undefined, "there is no session");
  await client.close();
  await eventually(trial, () => isDeleted(http, session), "the client sent no DELETE");
  const headers = { ...sessionHeaders(session, client.revision), "content-type": "application/json" };
  const accept = "application/json, text/event-stream";
  const { status } = await fetch(http.url, { method: "POST", headers: { ...headers, accept }, body: PING });
  expectEqual(status, 404, "status of a request to the session that was ended");
};

export const closing: Check = async (trial) => {
  const { client, tap } = trial;
  await client.close();
  await eventually(trial, () => tap.open === 0, "something is still open");
};

function sessionHeaders(session: string, revision = "2025-06-18"): Record<string, string> {
  return { "mcp-session-id": session, "mcp-protocol-version": revision };
}

function isDeleted(http: HttpTap, session: string): boolean {
  return http
    .entries()
    .some(({ from, text }) => from === "client" && text.startsWith("DELETE") && text.includes(session));
}
