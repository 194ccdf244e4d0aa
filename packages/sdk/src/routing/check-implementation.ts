/** The name and version that a client or server gives of itself. */
import { SdkError } from "../errors/sdk-error.js";
import { explain } from "../protocol/shape.js";
import { ownImplementationShape } from "../protocol/shapes/lifecycle.js";

/**
 * Checks the options of a client or server for the part that describes it.
 * @param example a call that would be right
 * @throws {SdkError} `invalid-argument`
 */
export function checkImplementation(options: unknown, example: string): void {
  const fault = ownImplementationShape(options);
  if (fault) throw new SdkError("invalid-argument", `${explain(fault, "options")}; write ${example}`);
}
