export { isJsonObject, type JsonObject } from "../runtime/json.js";
