/** The error for a schema that is refused: malformed, unsafe to run, over the limits, or in an unknown dialect. */
import { clip } from "./validation-result.js";

export class UnusableSchemaError extends Error {
  override readonly name = "UnusableSchemaError";
}

/** Names the subschema: `The schema at #/properties/a has a malformed "type": …`. */
export function unusableAt(pointer: string, problem: string): UnusableSchemaError {
  return new UnusableSchemaError(`The schema at #${clip(pointer)} ${problem}`);
}
