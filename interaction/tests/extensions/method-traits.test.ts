import { defineExtension, defineMethod, defineNotification, McpServer, ProtocolError } from "parley-mcp/server";
import type { Schema } from "parley-mcp/types";
import { expect, vi } from "vitest";
import { z } from "zod";
import { deferred } from "../../src/deferred.js";
import { enveloped, exchange, modernPost, refused } from "../../src/http/http-posts.js";
import { hostHttp } from "../../src/http/raw-http-client.js";
import { verifies } from "../../src/verifies.js";

const identity = { name: "jobs", version: "1.0.0" };
const getJob = defineMethod("acme/job", {
  params: z.object({ jobId: z.string() }),
  result: z.strictObject({ state: z.string() }),
  mirrors: "jobId",
});
const jobsChanged = defineNotification("notifications/acme/jobs_changed", { params: z.object({}) });
const listJobs = defineMethod("acme/jobs", {
  params: z.object({ cursor: z.string().optional(), owner: z.string().optional() }),
  result: z.strictObject({ jobs: z.array(z.object({ jobId: z.string() })), nextCursor: z.string().optional() }),
  cacheable: { changedBy: jobsChanged },
  page: "jobs",
  pageKey: ({ jobId }) => jobId,
});
const jobs = defineExtension("com.example/jobs", { methods: [getJob, listJobs] });

verifies(
  "custom-methods:mirrors",
  "a method that mirrors a param is sent with it as Mcp-Name and served, with an extension and without one",
  async ({ connect, connection }) => {
    for (const extensions of [[jobs], []]) {
      const server = new McpServer({ ...identity, extensions });
      server.handle(getJob, ({ jobId }, { caller }) => ({ state: `${jobId}: ${caller?.headers?.["mcp-name"]}` }));
      const client = await connect(server, { extensions });

      const { state } = await client.request(getJob, { jobId: "jö" });

      const isHttp = ["http", "http-replicas", "fetch"].includes(connection);
      expect(state).toBe(isHttp ? `jö: =?base64?${Buffer.from("jö").toString("base64")}?=` : "jö: undefined");
    }
  },
);

verifies(
  "custom-methods:mirrors:compared",
  "a request without the param is for its handler to refuse, a param of another type for defineMethod",
  async () => {
    const server = new McpServer(identity);
    server.handle(getJob, () => ({ state: "done" }));
    await using host = await hostHttp(server);
    const post = (params: object, headers: Record<string, string>) =>
      exchange(host.url, modernPost("acme/job", enveloped({ ...params }), headers));

    expect(await post({ jobId: "j1" }, { "mcp-name": "j1" })).toMatchObject({ status: 200 });
    expect(await post({ jobId: "j1" }, { "mcp-name": "j2" })).toMatchObject(refused(400, -32020, 1));
    expect(await post({ jobId: "j1" }, {})).toMatchObject(refused(400, -32020, 1));
    expect(await post({}, {})).toMatchObject({ json: { error: { code: -32602 } } });
    expect(await post({}, { "mcp-name": "j1" })).toMatchObject(refused(400, -32020, 1));
    for (const jobId of [5, null, ["j1"], { id: "j1" }]) {
      expect(await post({ jobId }, { "mcp-name": String(jobId) })).toMatchObject(refused(400, -32020, 1));
      expect(await post({ jobId }, {})).toMatchObject(refused(400, -32602, 1));
    }

    const define = (params: Schema) => defineMethod("acme/job", { params, result: z.object({}), mirrors: "jobId" });
    const complaint = 'defineMethod("acme/job"): mirrors: params.jobId must be a string';
    expect(() => define(z.object({ jobId: z.number() }))).toThrow(complaint);
    expect(() => define({ type: "object", properties: { jobId: { type: ["integer", "null"] } } })).toThrow(complaint);
    for (const sound of [
      z.object({ jobId: z.string().optional() }),
      z.object({ jobId: z.any() }),
      z.any(),
      { type: "object", properties: { jobId: { type: ["string", "null"] } } },
      z.object({ jobId: z.string(), due: z.date() }),
    ]) {
      expect(define(sound).mirrors).toBe("jobId");
    }
  },
);

verifies(
  "custom-methods:cacheable",
  "a client caches a cacheable method by its params, and the schemas do not see the hint",
  async ({ connect, wire }) => {
    const server = new McpServer({ ...identity, extensions: [jobs], cache: { ttlMs: 1_000, cacheScope: "public" } });
    server.handle(listJobs, ({ owner }) =>
      owner === "ada" ? { jobs: [], ttlMs: 5, cacheScope: "private" } : { jobs: [] },
    );
    const client = await connect(server, { extensions: [jobs], cache: { now: () => 0 } });
    const asked = () => wire.methods("client").filter((method) => method === "acme/jobs").length;

    expect(await client.request("acme/jobs")).toMatchObject({ ttlMs: 1_000, cacheScope: "public" });
    expect(await client.request(listJobs, {})).toEqual({ jobs: [] });
    expect(asked()).toBe(1);
    expect(await client.request("acme/jobs", { owner: "ada" })).toMatchObject({ ttlMs: 5, cacheScope: "private" });
    expect(asked()).toBe(2);
    await client.request(listJobs, {}, { fresh: true });
    expect(asked()).toBe(3);
  },
);

verifies(
  "custom-methods:cacheable:changed-by",
  "a notification that a cacheable method names makes its kept results stale, and another notification does not",
  async ({ connect }) => {
    const runs = vi.fn(() => ({ jobs: [] }));
    const server = new McpServer({ ...identity, extensions: [jobs], cache: { ttlMs: 1_000 } });
    server.handle(listJobs, runs);
    server.tool("change", {}, async (_args, context) => {
      await context.notify(jobsChanged, {});
      return "changed";
    });
    server.tool("progress", {}, async (_args, context) => {
      await context.progress(1);
      return "unchanged";
    });
    const client = await connect(server, { extensions: [jobs], cache: { now: () => 0 } });
    const heard = deferred<void>();
    client.onNotification(jobsChanged, () => heard.resolve());
    await client.request(listJobs, {});
    await client.callTool("progress", {}, { onProgress: () => {} });
    await client.request(listJobs, {});
    expect(runs).toHaveBeenCalledTimes(1);

    await client.callTool("change");
    await heard.promise;
    await client.request(listJobs, {});
    expect(runs).toHaveBeenCalledTimes(2);
  },
);

verifies(
  "custom-methods:cacheable:hints-checked",
  "an invalid ttlMs of a cacheable method is reported with its path",
  async ({ connect }) => {
    const onError = vi.fn();
    const server = new McpServer({ ...identity, extensions: [jobs], onError });
    server.handle(listJobs, () => ({ jobs: [], ttlMs: -1 }));
    const client = await connect(server, { extensions: [jobs] });
    await expect(client.request(listJobs, {})).rejects.toMatchObject({ code: -32603 });
    expect(onError.mock.calls[0]?.[0].cause.message).toContain("result.ttlMs");
  },
);

/** A server with four pages of one job each, whose cursors are refused as often as it is told. */
function pagedServer(refusals: number) {
  const server = new McpServer(identity);
  let left = refusals;
  server.handle(listJobs, ({ cursor = "0", owner = "" }) => {
    if (cursor === "2" && left > 0) {
      left -= 1;
      throw new ProtocolError(-32602, "cursor expired");
    }
    const page = { jobs: [{ jobId: `${owner}${cursor}` }] };
    return cursor === "3" ? page : { ...page, nextCursor: `${Number(cursor) + 1}` };
  });
  return server;
}

verifies(
  "custom-methods:pages",
  "a method with pages yields each item once, also after one refused cursor",
  async ({ connect }) => {
    const read = async (refusals: number, options = {}) => {
      const client = await connect(pagedServer(refusals), options);
      const ids: string[] = [];
      for await (const { jobId } of client.listAll(listJobs, { owner: "ada" })) ids.push(jobId);
      return ids;
    };
    const all = ["ada0", "ada1", "ada2", "ada3"];
    expect(await read(0)).toEqual(all);
    expect(await read(1)).toEqual(all);
    await expect(read(2)).rejects.toMatchObject({ code: -32602 });
    const { pageKey: _none, ...unkeyed } = listJobs;
    const walked: string[] = [];
    const walk = async () => {
      const client = await connect(pagedServer(1));
      for await (const { jobId } of client.listAll(unkeyed as typeof listJobs, { owner: "ada" })) walked.push(jobId);
    };
    await expect(walk()).rejects.toMatchObject({ code: -32602, message: "cursor expired" });
    expect(walked).toEqual(["ada0", "ada1"]);
    await expect(read(0, { maxPages: 2 })).rejects.toMatchObject({ code: "too-many-pages" });
  },
);
