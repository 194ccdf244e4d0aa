/** Files that options name. Errors name the option and the file as given. */
import { accessSync, constants, readFileSync, type Stats, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { UsageError } from "./options.js";

/** @throws {UsageError} if the file cannot be read. */
export function readInput(option: string, file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new UsageError(`${option} ${file} cannot be read: ${reasonOf(error)}`, { cause: error });
  }
}

/**
 * Finds out before a run that its result could not be written. Makes and changes no file.
 *
 * @throws {UsageError} if the folder is missing or is not writable, or the file is a folder or is not writable.
 */
export function assertWritable(option: string, file: string): void {
  const found = entryAt(file);
  if (found?.isDirectory()) throw new UsageError(`${option} ${file} cannot be written: it is a folder`);
  const folder = dirname(file);
  if (!found && !entryAt(folder)?.isDirectory())
    throw new UsageError(`${option} ${file} cannot be written: there is no folder ${folder}`);
  attempt(option, file, () => accessSync(found ? file : folder, constants.W_OK));
}

/** `undefined` if nothing is there. */
function entryAt(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

export function writeOutput(option: string, file: string, text: string): void {
  attempt(option, file, () => writeFileSync(file, text));
}

function attempt(option: string, file: string, write: () => void): void {
  try {
    write();
  } catch (error) {
    throw new UsageError(`${option} ${file} cannot be written: ${reasonOf(error)}`, { cause: error });
  }
}

/** The words of an error of Node, such as "no such file or directory", without its code and its path. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.replace(/^[A-Z]+: /, "").replace(/, \w+( '.*')?$/, "");
}
