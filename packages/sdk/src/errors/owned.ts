/** Says whose mistake an error is about, where the code that finds it does not know. */
import { SdkError } from "./sdk-error.js";

/** What `run` returns. An `SdkError` that it throws is thrown again with the owner before its message: `tool "add": input: …`. */
export function owned<Value>(owner: string, run: () => Value): Value {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof SdkError)) throw error;
    throw new SdkError(error.code, `${owner}: ${error.message}`, { cause: error });
  }
}
