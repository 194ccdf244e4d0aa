/** The error for a schema that no form can express. */
import { SdkError } from "../errors/sdk-error.js";
import { describeIssues } from "../json-schema/index.js";

/** Names the field, or the form as a whole if the path is empty: `schema.address: a form has no nested objects`. */
export function formRefusal(path: readonly string[], message: string): SdkError {
  return new SdkError("invalid-argument", describeIssues([{ path, message }], "schema"));
}
