import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { credentialStoreContract } from "../client/credential-store-contract.js";
import { FileCredentialStore } from "./file-credential-store.js";

const folders: string[] = [];

credentialStoreContract("FileCredentialStore", async () => {
  const folder = await mkdtemp(join(tmpdir(), "parley-credentials-"));
  folders.push(folder);
  return new FileCredentialStore({ folder });
});

afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true });
});
