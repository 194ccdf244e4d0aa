/** The official reference server with everything, as it is published. */
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Exhibit } from "../exhibit.js";
import { lack } from "../features.js";
import { legacy, overSse, overStdio } from "../modes.js";
import { ANSWERS } from "../peer-client.js";
import type { ServerPeer } from "../server-peer.js";
import { listening, spawned } from "./program.js";

const PACKAGE = "@modelcontextprotocol/server-everything";
const program = join(dirname(createRequire(import.meta.url).resolve(`${PACKAGE}/package.json`)), "dist", "index.js");

const revision = "2025-11-25";
const nothingLikeIt = { tool: "", args: {}, text: "" };
const weather = { temperature: 36, conditions: "Light rain / drizzle", humidity: 82 };

const exhibit: Exhibit = {
  echo: { tool: "echo", argument: "message", prefix: "Echo: " },
  structured: { tool: "get-structured-content", args: { location: "Chicago" }, text: "", value: weather },
  failing: nothingLikeIt,
  steps: { tool: "trigger-long-running-operation", args: { duration: 0.4, steps: 4 }, text: "Steps: 4", count: 4 },
  burst: { ...nothingLikeIt, count: 0 },
  hanging: { tool: "trigger-long-running-operation", args: { duration: 60, steps: 1 } },
  logging: { tool: "toggle-simulated-logging", args: {}, text: "Started" },
  asking: { tool: "trigger-elicitation-request", args: {}, text: ANSWERS.name },
  askingUrl: { tool: "trigger-url-elicitation", args: { url: "https://example.com/sign-in" }, text: "accept" },
  sampling: { tool: "trigger-sampling-request", args: { prompt: "Say something" }, text: ANSWERS.sampled },
  roots: { tool: "get-roots-list", args: {}, text: ANSWERS.root },
  rounds: nothingLikeIt,
  growing: nothingLikeIt,
  touching: { tool: "toggle-subscriber-updates", args: {}, text: "Started" },
  resource: { uri: "demo://resource/static/document/features.md", text: "#" },
  template: {
    uriTemplate: "demo://resource/dynamic/text/{resourceId}",
    uri: "demo://resource/dynamic/text/7",
    text: "Resource 7",
  },
  prompt: { name: "args-prompt", args: { city: "Paris" }, text: "What's weather in Paris?" },
  completion: { prompt: "completable-prompt", argument: "department", value: "E", values: ["Engineering"] },
};

const lacks = {
  ...legacy,
  ...lack("lists come in one page", "pagination"),
  ...lack("has no tool for it", "tool error", "progress in one burst", "input rounds", "list changes"),
};

export const everything: ServerPeer = {
  name: "everything",
  packageName: PACKAGE,
  exhibit,
  modes: [
    { name: "stdio", era: "legacy", revision, lacks: { ...lacks, ...overStdio }, start: spawned(program, "stdio") },
    {
      name: "HTTP stateful",
      era: "legacy",
      revision,
      lacks,
      start: listening(program, { kind: "http", path: "/mcp", args: ["streamableHttp"] }),
    },
    {
      name: "HTTP+SSE",
      era: "legacy",
      revision,
      lacks: { ...lacks, ...overSse },
      start: listening(program, { kind: "sse", path: "/sse", args: ["sse"] }),
    },
  ],
};
