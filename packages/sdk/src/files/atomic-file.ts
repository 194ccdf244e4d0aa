/** Writes files atomically: after a crash of the process or the machine, the old or the new file is complete. */
import { open, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/** The extension of files that are not complete yet. */
export const TEMPORARY = ".tmp";

/**
 * Replaces a file by one that only its owner can read. Resolves once the file is on the disk.
 * @param confirm called when the new file is complete; prevents the replacement by a rejection
 */
export async function writeAtomically(path: string, text: string, confirm?: () => Promise<void>): Promise<void> {
  const temporary = `${path}.${crypto.randomUUID()}${TEMPORARY}`;
  try {
    const file = await open(temporary, "wx", 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await confirm?.();
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncFolder(dirname(path));
}

/** Removes the incomplete files of processes that were killed while they replaced a file. No process may be replacing it. */
export async function removeIncomplete(path: string): Promise<void> {
  const folder = dirname(path);
  const isIncomplete = (name: string) => name.startsWith(`${basename(path)}.`) && name.endsWith(TEMPORARY);
  const left = (await readdir(folder)).filter(isIncomplete);
  await Promise.all(left.map((name) => rm(join(folder, name), { force: true })));
}

/** Flushes the new name in a folder to the disk. Errors are ignored, since some systems cannot open folders. */
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
