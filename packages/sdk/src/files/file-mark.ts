/** Identifies the contents of a file without reading them, so that a change by another process is noticed. */
import { stat } from "node:fs/promises";

/** Changes with the file of this name, its length and its modification time. Undefined if the file does not exist. */
export async function markOf(path: string): Promise<string | undefined> {
  const [found] = await Promise.allSettled([stat(path, { bigint: true })]);
  if (found.status === "rejected") return undefined;
  const { dev, ino, size, mtimeNs } = found.value;
  return `${dev} ${ino} ${size} ${mtimeNs}`;
}
