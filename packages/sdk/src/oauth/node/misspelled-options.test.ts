import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { InMemoryCredentialStore } from "../client/credential-store.js";
import { InMemoryAuthorizationStore } from "../server/in-memory-authorization-store.js";
import { FileAuthorizationStore } from "./file-authorization-store.js";
import { FileCredentialStore } from "./file-credential-store.js";
import { loopbackRedirect } from "./loopback-redirect.js";

it.each([
  ["InMemoryCredentialStore", "maxEntrys", () => new InMemoryCredentialStore({ maxEntrys: 1 } as never)],
  ["FileCredentialStore", "maxByte", (folder: string) => new FileCredentialStore({ folder, maxByte: 1 } as never)],
  ["InMemoryAuthorizationStore", "maxRecord", () => new InMemoryAuthorizationStore({ maxRecord: 1 } as never)],
  [
    "FileAuthorizationStore.open",
    "lockTimeout",
    (folder: string) => FileAuthorizationStore.open(join(folder, "store.jsonl"), { lockTimeout: 1 } as never),
  ],
  ["loopbackRedirect", "timeout", () => loopbackRedirect({ open: () => undefined, timeout: 1 } as never)],
])("%s refuses the misspelled option %s", async (owner, name, make) => {
  const folder = await mkdtemp(join(tmpdir(), "parley-options-"));
  onTestFinished(() => rm(folder, { recursive: true }));

  await expect(async () => make(folder)).rejects.toThrow(`${owner}: there is no option "${name}"; did you mean`);
});
