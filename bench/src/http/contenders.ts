/** Every server that takes part over HTTP, in the order in which the tables show them. */
import { BY_HAND_NOTE } from "../by-hand.js";
import type { HttpContender, HttpMode } from "./http-contender.js";

const LEGACY: readonly HttpMode[] = ["legacy stateless", "legacy sessions"];
const ALL: readonly HttpMode[] = ["modern", ...LEGACY];

export const HTTP_CONTENDERS: readonly HttpContender[] = [
  {
    name: "parley",
    role: "ours",
    modes: ALL,
    load: () => import("./servers/parley.js"),
  },
  {
    name: "parley, asynchronous handler",
    role: "reference",
    modes: ALL,
    note: "the same server with a handler that returns a promise",
    load: async () => ({ serve: (await import("./servers/parley.js")).serveAsynchronous }),
  },
  {
    name: "by hand",
    role: "reference",
    modes: ["modern", "legacy stateless"],
    methods: ["tools/call"],
    note: BY_HAND_NOTE,
    load: () => import("./servers/by-hand.js"),
  },
  {
    name: "floor",
    role: "floor",
    modes: ALL,
    note: "bare node:http that reads and parses the body and answers a constant, with the batching and the single write of ours",
    load: () => import("./servers/floor.js"),
  },
  {
    name: "official v2",
    role: "peer",
    modes: ALL,
    note: "JSON responses switched on; without sessions a server is made per request, as its documentation asks",
    load: () => import("./servers/official-v2.js"),
  },
  {
    name: "official v1",
    role: "peer",
    modes: LEGACY,
    note: "JSON responses switched on; it has no modern era; without sessions a server is made per request",
    load: () => import("./servers/official-v1.js"),
  },
  {
    name: "tmcp",
    role: "peer",
    modes: ALL,
    note: "answers with event streams, for it has no JSON responses; behind @hono/node-server",
    load: () => import("./servers/tmcp.js"),
  },
  {
    name: "mcp-lite",
    role: "peer",
    modes: LEGACY,
    // With event streams accepted, as the specification asks of clients, it always answers with one.
    accept: "application/json",
    note: "asked for JSON alone, since it streams otherwise; it has no modern era; behind @hono/node-server",
    load: () => import("./servers/mcp-lite.js"),
  },
  {
    name: "fastmcp",
    role: "peer",
    modes: LEGACY,
    note: "JSON responses switched on, log switched off; it has no modern era",
    load: () => import("./servers/fastmcp.js"),
  },
];
