/** Checks of limits that several stores take. */
import { SdkError } from "parley-mcp/server";

/** @throws {SdkError} `invalid-argument` for a value that is no finite number from `least` */
export function checkFrom(name: string, value: unknown, least: number): void {
  if (typeof value === "number" && value >= least && value <= Number.MAX_SAFE_INTEGER) return;
  throw new SdkError("invalid-argument", `${name}: expected a number from ${least}, got ${String(value)}`);
}
