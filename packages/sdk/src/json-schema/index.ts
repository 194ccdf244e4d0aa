export { compileJsonSchema } from "./compile-json-schema.js";
export { dialectOf, idKeywordOf } from "./dialects.js";
export { REFERENCE_KEYWORDS, SUBSCHEMA_KEYWORDS } from "./document/keyword-shapes.js";
export { readSchemaDocument } from "./document/schema-document.js";
export type { SchemaLimits } from "./limits.js";
export { UnusableSchemaError } from "./unusable-schema-error.js";
export { describeIssues, type ValidationIssue, type ValidationResult } from "./validation-result.js";
