/** Checks the name and version of a client or server. */
import { SdkError } from "../errors/sdk-error.js";
import { explain } from "../protocol/shape.js";
import { ownImplementationShape } from "../protocol/shapes/lifecycle.js";

/**
 * Checks `name`, `version` and the other options that describe a client or server.
 * @param example a valid call, which the error message quotes
 * @throws {SdkError} `invalid-argument`
 */
export function checkImplementation(options: unknown, example: string): void {
  const fault = ownImplementationShape(options);
  if (fault) throw new SdkError("invalid-argument", `${explain(fault, "options")}; write ${example}`);
}
