/** Files that are there as a whole or not at all, whenever the process or the machine stops. */
import { randomUUID } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";

/** The ending of files that are not complete yet. */
export const TEMPORARY = ".tmp";

/** Replaces a file that only its owner can read. It is on the disk when this resolves. */
export async function writeAtomically(path: string, text: string): Promise<void> {
  const temporary = `${path}.${randomUUID()}${TEMPORARY}`;
  try {
    const file = await open(temporary, "wx", 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncFolder(dirname(path));
}

/** Puts a new name on the disk. Some systems open no folders, and see to it by themselves. */
async function syncFolder(path: string): Promise<void> {
  await Promise.allSettled([openAndSync(path)]);
}

async function openAndSync(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
