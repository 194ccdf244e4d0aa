/** The authorization server of this repository, checked over a socket. */
import { McpServer } from "parley-mcp";
import { serveHttp } from "parley-mcp/node";
import { authorizationServer } from "parley-mcp/oauth/server";
import { expect, test } from "vitest";
import { runCommand } from "./cli/command.js";
import { listenHttp } from "./wire/http-listener.js";

async function run(...argv: readonly string[]) {
  let output = "";
  const print = (text: string) => {
    output += text;
  };
  const code = await runCommand({ argv, env: {}, print, complain: print, isTerminal: false });
  return { code, output };
}

/** A port that is free a moment later. The issuer is part of the metadata, so it must be known before. */
async function freeOrigin(): Promise<URL> {
  await using listener = await listenHttp(() => ({ status: 404, headers: {}, body: "" }));
  return new URL(listener.origin);
}

test("the authorization server of this repository fails no check", async () => {
  const { origin, port } = await freeOrigin();
  const login = authorizationServer({ issuer: origin, resources: [`${origin}/mcp`], users: [] });
  const server = new McpServer({ name: "own", version: "1.0.0" });
  const { close } = await serveHttp(server, { port: Number(port), path: "/mcp", routes: [login.handle] });

  const { code, output } = await run("auth", origin, "--fail-on", "note", "--verbose");
  await close();

  expect(output).toMatch(/\d\d passed, 0 failures; \d not applicable, 0 not observed/);
  expect(code).toBe(0);
});

test("a server that is no issuer exits with 1 and is told what to serve", async () => {
  await using other = await listenHttp(() => ({ status: 404, headers: {}, body: "" }));

  const { code, output } = await run("auth", other.origin);

  expect(output).toContain("FAILURE issuer-metadata (2026-07-28)");
  expect(code).toBe(1);
});

test("an issuer that is no URL exits with 2 and says what to write", async () => {
  const { code, output } = await run("auth", "login");

  expect(output).toContain("parley-check auth https://login.example.com");
  expect(code).toBe(2);
});
