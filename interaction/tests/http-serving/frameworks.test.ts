import type { AddressInfo } from "node:net";
import { type ServerType, serve } from "@hono/node-server";
import express from "express";
import fastify from "fastify";
import { Hono } from "hono";
import { Client } from "parley-mcp/client";
import { createNodeHandler } from "parley-mcp/node";
import { McpServer } from "parley-mcp/server";
import { createFetchHandler } from "parley-mcp/web";
import { expect } from "vitest";
import { z } from "zod";
import { callPost } from "../../src/http/http-posts.js";
import { verifies } from "../../src/verifies.js";

function adder(): McpServer {
  const server = new McpServer({ name: "adder", version: "1.0.0" });
  server.tool("add", { input: z.object({ a: z.number(), b: z.number() }) }, async ({ a, b }, context) => {
    await context.progress(1);
    return `${a + b}`;
  });
  return server;
}

interface Mounted extends AsyncDisposable {
  readonly url: string;
}

/** What every HTTP server of Node has, whoever made it. */
interface Listening {
  address(): AddressInfo | string | null;
  close(callback: () => void): unknown;
  closeAllConnections?(): void;
}

function mounted(server: Listening, close: () => Promise<void>): Mounted {
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" ? address?.port : undefined}/mcp`,
    [Symbol.asyncDispose]: async () => {
      await close();
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
      server.closeAllConnections?.();
      await closed;
    },
  };
}

async function inExpress(parse: boolean): Promise<Mounted> {
  const handler = createNodeHandler(adder());
  const app = express();
  if (parse) app.use(express.json());
  app.all("/mcp", handler);
  const http = app.listen(0, "127.0.0.1");
  await new Promise((resolve) => http.once("listening", resolve));
  return mounted(http, () => handler.close());
}

async function inFastify(): Promise<Mounted> {
  const handler = createNodeHandler(adder());
  const app = fastify();
  app.all("/mcp", (request, reply) => {
    reply.hijack();
    handler(request.raw, reply.raw, request.body);
  });
  await app.listen({ port: 0, host: "127.0.0.1" });
  return mounted(app.server, () => handler.close());
}

async function inHono(parse = false): Promise<Mounted> {
  const handler = createFetchHandler(adder());
  const app = new Hono();
  app.all("/mcp", async (context) => {
    const isJson = parse && context.req.method === "POST";
    return handler(context.req.raw, isJson ? { parsedBody: await context.req.json() } : {});
  });
  const http = await new Promise<ServerType>((resolve) => {
    const server = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, () => resolve(server));
  });
  return mounted(http, () => handler.close());
}

/** Both eras, with answers that are streams and answers that are not. */
async function serves({ url }: Mounted): Promise<void> {
  for (const revision of ["2026-07-28", "2025-11-25"] as const) {
    const client = await Client.connect(url, { name: "c", version: "1.0.0", revisions: [revision] });
    const progress: number[] = [];
    const result = await client.callTool(
      "add",
      { a: 2, b: 3 },
      { onProgress: (report) => void progress.push(report.progress) },
    );
    expect(result.content).toEqual([{ type: "text", text: "5" }]);
    expect(progress).toEqual([1]);
    expect((await client.listTools()).tools).toHaveLength(1);
    await client.close();
  }
}

async function refusesStrangers({ url }: Mounted): Promise<void> {
  const foreign = callPost("add", { a: 1, b: 1 }, { origin: "http://evil.example.com" });
  expect((await fetch(url, foreign)).status).toBe(403);
  const { request } = await import("node:http");
  const { headers, method, body } = callPost("add", { a: 1, b: 1 }, { host: "evil.example.com" });
  const status = await new Promise((resolve) => {
    request(url, { method, headers }, (response) => resolve(response.resume().statusCode)).end(body);
  });
  expect(status).toBe(403);
}

verifies(
  ["hosting:express:adapter-basic-flow", "hosting:express-app-helper"],
  "Express serves both eras, whether it parses bodies or not",
  async () => {
    await using plain = await inExpress(false);
    await serves(plain);
    await using parsing = await inExpress(true);
    await serves(parsing);
  },
);

verifies("hosting:fastify:basic-flow", "Fastify serves both eras and hands over what it parsed", async () => {
  await using app = await inFastify();
  await serves(app);
});

verifies("hosting:hono:basic-flow", "Hono serves both eras, whether it parses bodies or not", async () => {
  await using app = await inHono();
  await serves(app);
  await using parsing = await inHono(true);
  await serves(parsing);
});

verifies(
  "hosting:express:adapter-host-header-validation",
  "foreign hosts and pages are refused in Express",
  async () => {
    await using app = await inExpress(true);
    await refusesStrangers(app);
  },
);

verifies("hosting:fastify:host-header-validation", "foreign hosts and pages are refused in Fastify", async () => {
  await using app = await inFastify();
  await refusesStrangers(app);
});

verifies("hosting:hono:host-header-validation", "foreign hosts and pages are refused in Hono", async () => {
  await using app = await inHono();
  await refusesStrangers(app);
});
