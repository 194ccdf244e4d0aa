/** Parses JSON of a credential store. Undefined for text that is missing, damaged, or no JSON object. */
import { isJsonObject, type JsonObject } from "../../runtime/json.js";

export function readStored(text: string | undefined): JsonObject | undefined {
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
