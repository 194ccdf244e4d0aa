/** The layers of the SDK, in order: a row may import itself and the rows above it. Folders in one row are strangers. A row may name folders of a folder. */
export const layers: readonly (readonly string[])[] = [
  ["runtime"],
  ["json-schema"],
  ["protocol"],
  ["errors"],
  ["files"],
  ["schema"],
  ["uri-template"],
  ["wire"],
  ["transport"],
  ["dispatch"],
  ["era"],
  ["routing"],
  ["tasks"],
  ["types"],
  ["telemetry"],
  ["server", "client"],
  ["tasks/index.ts"],
  ["skills", "apps"],
  ["skills/node"],
  ["hosting"],
  ["oauth/grammar"],
  ["oauth/client", "oauth/resource", "oauth/server"],
  ["oauth/node", "oauth/index.ts"],
  ["node", "web"],
  ["testing"],
  // The package's root entry.
  ["index.ts"],
];

/** The layers of the checker, in order, as above. */
export const checkerLayers: readonly (readonly string[])[] = [
  ["wire"],
  ["target"],
  ["judge"],
  ["checks"],
  ["client", "issuer"],
  ["mutants"],
  ["formats"],
  ["cli"],
  ["referee-counterparts.fixture.ts"],
  [
    "index.ts",
    "action.test.ts",
    "referee-counterparts.test.ts",
    "parley-check.ts",
    "parley-check.test.ts",
    "traceability.test.ts",
    "own-client.test.ts",
    "own-issuer.test.ts",
    "own-login.test.ts",
    "own-server.test.ts",
    "small-server.test.ts",
    "hostile-sockets.test.ts",
    "hostile-targets.test.ts",
  ],
];

/** The files of the Redis package, in order, as above. */
export const redisLayers: readonly (readonly string[])[] = [
  ["limit-checks.ts", "key-queue.ts"],
  ["redis-connection.ts"],
  ["bounded-table.ts", "task-scripts.ts"],
  [
    "redis-authorization-store.ts",
    "redis-cache-store.ts",
    "redis-change-bus.ts",
    "redis-credential-store.ts",
    "redis-event-store.ts",
    "redis-rate-store.ts",
    "redis-session-channel.ts",
    "redis-session-store.ts",
    "redis-state-key.ts",
    "redis-task-store.ts",
    "redis-used-states.ts",
  ],
  ["redis-backend.ts"],
  ["index.ts"],
];

/** The files of the BullMQ package, in order, as above. */
export const bullmqLayers: readonly (readonly string[])[] = [
  ["queue-settings.ts"],
  ["bullmq-task-runner.ts", "work-tasks.ts"],
  ["index.ts"],
];

/** Folders that could be packages of their own: other folders import their `index.ts` only. */
export const sealedFolders: readonly string[] = ["json-schema"];

/** Folders that may import Node's own modules; everything else runs on any web-standard runtime. */
export const nodeFolders: readonly string[] = [
  "files",
  "transport/node",
  "tasks/node",
  "hosting/node",
  "oauth/node",
  "skills/node",
  "node",
];

/** What the package's own `imports` stand for off Node. */
export const platformImports: ReadonlyMap<string, string> = new Map([
  ["#platform", "packages/sdk/src/transport/platform/web-platform.ts"],
]);
