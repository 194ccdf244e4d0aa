/**
 * The server under test: everything that the referee's scenarios name, for every revision on one URL. It prints that URL
 * and serves until it is told to stop.
 */
import { InMemoryEventStore, serveHttp } from "parley-mcp/node";
import { McpServer } from "parley-mcp/server";
import { serveTasks } from "parley-mcp/tasks";
import { addAskingTools } from "./asking-tools.js";
import { addContentTools } from "./content-tools.js";
import { addInputRoundTools } from "./input-round-tools.js";
import { addPrompts } from "./prompts.js";
import { addResources } from "./resources.js";
import { addSchemaTools } from "./schema-tools.js";
import { addSkills } from "./skills.js";
import { addStreamTools } from "./stream-tools.js";
import { addTaskTools } from "./task-tools.js";

const server = new McpServer({
  name: "everything",
  version: "1.0.0",
  capabilities: { logging: {} },
  cache: { ttlMs: 1_000, cacheScope: "public" },
  tasks: serveTasks(),
});
addContentTools(server);
addStreamTools(server);
addAskingTools(server);
addInputRoundTools(server);
addSchemaTools(server);
addTaskTools(server);
addResources(server);
addPrompts(server);
await addSkills(server);

const { url, close } = await serveHttp(server, { legacy: { eventStore: new InMemoryEventStore(), retryMs: 500 } });
console.log(url);
process.once("SIGTERM", () => void close());
