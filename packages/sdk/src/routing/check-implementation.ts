/** Checks the name and version of a client or server. */
import type { OptionTable } from "../errors/option-table.js";
import { SdkError } from "../errors/sdk-error.js";
import type { Implementation } from "../protocol/implementation.js";
import { ownImplementationShape } from "../protocol/lifecycle.js";
import { explain } from "../protocol/shape.js";

/** The options that describe a client or server. Their kinds are part of the shape. */
export const IMPLEMENTATION_OPTIONS: OptionTable<Implementation> = {
  name: true,
  version: true,
  title: true,
  description: true,
  websiteUrl: true,
  icons: true,
};

/**
 * Checks `name`, `version` and the other options that describe a client or server.
 * @param example a valid call, which the error message quotes
 * @throws {SdkError} `invalid-argument`
 */
export function checkImplementation(options: unknown, example: string): void {
  const fault = ownImplementationShape(options);
  if (fault) throw new SdkError("invalid-argument", `${explain(fault, "options")}; write ${example}`);
}
