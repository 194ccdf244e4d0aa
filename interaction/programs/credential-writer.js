/**
 * Replaces a credential in a `FileCredentialStore` and is killed on the way: before the new file gets its name, or right after.
 * Runs on the built package.
 */
import fs from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";

const { folder, key, value, dies } = JSON.parse(process.argv[2] ?? "");
const { rename } = fs;

fs.rename = async (from, to) => {
  if (dies === "after") await rename(from, to);
  process.kill(process.pid, "SIGKILL");
};
// From here on, imports of the module get the replaced function.
syncBuiltinESMExports();

const { FileCredentialStore } = await import("parley-mcp/oauth/node");
const store = new FileCredentialStore({ folder });
await store.withLock(key, () => store.set(key, value));
