export { isJsonObject, isPlainObject, type JsonObject } from "../runtime/json.js";
