import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import * as fileLock from "../../files/file-lock.js";
import { FileCredentialStore } from "./file-credential-store.js";

vi.mock("../../files/file-lock.js", { spy: true });

test("a store waits a minute for the lock of another process", async () => {
  const folder = await mkdtemp(join(tmpdir(), "parley-credentials-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await new FileCredentialStore({ folder }).withLock("key", async () => undefined);
  expect(fileLock.acquireFileLock).toHaveBeenCalledWith(
    expect.any(String),
    expect.objectContaining({ timeoutMs: 60_000 }),
  );
});
