/**
 * Lists the regular files below a folder, and gives the reason for each other entry. Symbolic links are not followed, hidden files are
 * left out. Entries, directories and depth are bounded.
 */

import { constants } from "node:fs";
import { type FileHandle, lstat, open, opendir, realpath, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { SdkError } from "../../errors/sdk-error.js";
import { isSafeSegment } from "../skill-uri.js";

/** A regular file. */
export interface TreeFile {
  /** From the folder, with slashes. */
  readonly path: string;
}

/** An entry that is not served, with the reason. */
export interface TreeFault {
  /** From the folder, with slashes. */
  readonly path: string;
  readonly reason: string;
}

export interface SkillTree {
  /** The folder itself, without symbolic links. */
  readonly root: string;
  readonly files: readonly TreeFile[];
  readonly faults: readonly TreeFault[];
  /** The absolute paths of the folder and the directories below. */
  readonly directories: readonly string[];
}

interface TreeLimits {
  /** Entries of all directories together. */
  readonly maxEntries: number;
  readonly maxDirectories: number;
}

const MAX_DEPTH = 16;

/** @throws {SdkError} `invalid-argument` for a folder that cannot be read, or that has too many entries. */
export async function listTree(
  folder: string,
  { maxEntries, maxDirectories }: TreeLimits = { maxEntries: 16_384, maxDirectories: 4_096 },
): Promise<SkillTree> {
  const root = await realDirectory(folder);
  const files: TreeFile[] = [];
  const faults: TreeFault[] = [];
  const directories: string[] = [];
  const open: (readonly string[])[] = [[]];
  let entries = 0;
  for (let parents = open.pop(); parents !== undefined; parents = open.pop()) {
    const path = join(root, ...parents);
    directories.push(path);
    for await (const entry of await opendir(path)) {
      entries += 1;
      if (entries > maxEntries || directories.length + open.length > maxDirectories) {
        const complaint = `expected at most ${maxEntries} entries in ${maxDirectories} directories`;
        throw new SdkError("invalid-argument", `folder: ${complaint}; serve a folder with skills only`);
      }
      if (entry.name.startsWith(".")) continue;
      const segments = [...parents, entry.name];
      const reason = faultOf(entry.name, segments.length, entry);
      if (reason !== undefined) faults.push({ path: segments.join("/"), reason });
      else if (entry.isDirectory()) open.push(segments);
      else files.push({ path: segments.join("/") });
    }
  }
  return { root, files, faults, directories };
}

async function realDirectory(folder: string): Promise<string> {
  try {
    const root = await realpath(folder);
    await (await opendir(root)).close();
    return root;
  } catch (cause) {
    throw new SdkError("invalid-argument", `folder: expected an existing directory, got ${resolve(folder)}`, { cause });
  }
}

interface EntryKind {
  isSymbolicLink(): boolean;
  isDirectory(): boolean;
  isFile(): boolean;
}

function faultOf(name: string, depth: number, entry: EntryKind): string | undefined {
  if (!isSafeSegment(name) || !name.isWellFormed()) return "its name cannot be part of a path on every system";
  if (entry.isSymbolicLink()) return "it is a symbolic link; copy the file";
  if (depth > MAX_DEPTH) return `it is more than ${MAX_DEPTH} directories deep`;
  return entry.isFile() || entry.isDirectory() ? undefined : "it is neither a file nor a directory";
}

/** The size of a file of the tree, at this moment. */
export async function sizeOfTreeFile(root: string, { path }: TreeFile): Promise<number> {
  return (await lstat(join(root, path))).size;
}

/**
 * Reads a file of the tree. Another process may have replaced the file or a directory since it was listed: the opened file must be
 * the one at the path, of the given size, and no symbolic link may be on the way.
 * @throws {SdkError} `invalid-argument`
 */
export async function readTreeFile(root: string, { path }: TreeFile, size: number): Promise<Uint8Array> {
  const absolute = join(root, path);
  // Opening a pipe without O_NONBLOCK waits for a writer.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(absolute, flags).catch((cause: unknown) => {
    throw new SdkError("invalid-argument", `${path} cannot be opened`, { cause });
  });
  try {
    const bytes = await readWhole(file, size);
    if (bytes !== undefined && (await isAt(file, absolute))) return bytes;
  } finally {
    await file.close();
  }
  throw new SdkError("invalid-argument", `${path} changed while it was read`);
}

async function isAt(file: FileHandle, path: string): Promise<boolean> {
  const [opened, found, real] = await Promise.all([file.stat(), stat(path), realpath(path)]);
  return opened.isFile() && opened.ino === found.ino && opened.dev === found.dev && real === path;
}

/** The bytes of a file of this size. Undefined if it has fewer or more. */
async function readWhole(file: FileHandle, size: number): Promise<Uint8Array | undefined> {
  const buffer = new Uint8Array(size + 1);
  let length = 0;
  for (;;) {
    const { bytesRead } = await file.read(buffer, length, buffer.length - length, length);
    length += bytesRead;
    if (bytesRead === 0 || length > size) break;
  }
  return length === size ? buffer.subarray(0, size) : undefined;
}
