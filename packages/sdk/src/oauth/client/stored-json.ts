/** JSON that a credential store gives back. A store may hold what another version wrote, or what somebody damaged. */
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
