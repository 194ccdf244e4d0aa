/** `mcp-remote` logs in for a client that only starts commands. It listens for the browser itself. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { textOf } from "../peer-client.js";
import { scriptOf } from "../programs.js";
import type { LoginClient } from "./login-peer.js";

/** It is ready for the browser once it has tried to open one. */
const AUTHORIZATION_PAGE =
  /Please authorize this client by visiting:\s+(\S+)\s[\s\S]*?(?:Could not open a browser|Browser opened) automatically/g;

export const mcpRemoteLogin: LoginClient = {
  name: "mcp-remote",
  packageName: "mcp-remote",
  lacks: {},
  departs: {},
  connect: async (url, browser) => {
    const folder = mkdtempSync(join(tmpdir(), "parley-mcp-remote-"));
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [scriptOf("mcp-remote"), url, "--allow-http", "--transport", "http-only"],
      // Without a path it finds no browser, and prints the address only.
      env: { MCP_REMOTE_CONFIG_DIR: folder, PATH: folder },
      stderr: "pipe",
    });
    let printed = "";
    let opened = 0;
    transport.stderr?.on("data", (chunk: Buffer) => {
      printed += chunk.toString();
      const pages = [...printed.matchAll(AUTHORIZATION_PAGE)].slice(opened);
      opened += pages.length;
      for (const [, page = ""] of pages)
        browser.logIn(page).catch((error: unknown) => transport.onerror?.(error as Error));
    });
    const client = new Client({ name: "interop", version: "1.0.0" });
    await client.connect(transport);
    return {
      callTool: async (name) => textOf((await client.callTool({ name })).content),
      printed: () => printed,
      [Symbol.asyncDispose]: async () => {
        await client.close();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  },
};
