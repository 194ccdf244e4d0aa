import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { credentialStoreContract } from "../client/credential-store-contract.js";
import { FileStore } from "./file-store.js";

const folders: string[] = [];

credentialStoreContract("FileStore", async () => {
  const folder = await mkdtemp(join(tmpdir(), "parley-credentials-"));
  folders.push(folder);
  return new FileStore({ folder });
});

afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true });
});
