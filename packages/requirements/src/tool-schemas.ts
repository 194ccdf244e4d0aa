/** What a tool's input and output schemas promise, and structured content by revision. */
import { LOCAL, type Requirements, SCRIPTED } from "./requirement.js";

export const toolSchemas: Requirements = {
  "tools:input-schema:json-schema-2020-12": {
    behavior: "A 2020-12 input schema with nesting, $defs and references is listed verbatim and checks the arguments.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic#json-schema-usage",
    strength: "must",
  },
  "tools:input-schema:preserve-keywords": {
    behavior: "$schema, $defs, additionalProperties and unknown keywords of an input schema are listed unchanged.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic#json-schema-usage",
    strength: "stated",
  },
  "tools:input-schema:standard-schema": {
    behavior: "Zod, Valibot and ArkType schemas are listed as JSON Schema and check the arguments.",
    source: { decision: "any-standard-schema" },
    strength: "decision",
  },
  "tools:input-schema:parsed-value": {
    behavior: "The handler gets what the schema yields: defaults filled in, transformations applied.",
    source: { decision: "any-standard-schema" },
    strength: "decision",
  },
  "tools:input-schema:absent": {
    behavior: "A tool without an input schema lists one that takes no arguments, and refuses any.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/tools#tool",
    strength: "should",
  },
  "tools:input-schema:object-only": {
    behavior: "An input schema whose root is not an object is refused when the tool is registered.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/schema#tool",
    strength: "stated",
    over: LOCAL,
  },
  "tools:input-validation:tool-error": {
    behavior: "Arguments that fail the input schema give a result with isError that names the path; no handler runs.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/tools#error-handling",
    strength: "should",
    since: "2025-11-25",
  },
  "tools:input-validation:invalid-params": {
    behavior:
      "Before 2025-11-25 such arguments are answered -32602 with a message that names the path; no handler runs.",
    source: "https://modelcontextprotocol.io/specification/2025-06-18/server/tools#error-handling",
    strength: "stated",
    until: "2025-06-18",
  },
  "tools:input-validation:hostile-pattern": {
    behavior: "An argument that would make a pattern backtrack without end is refused at once, and others are served.",
    source: { decision: "bounded-by-default" },
    strength: "decision",
  },
  "tools:input-validation:hostile-value": {
    behavior:
      "An argument that takes over 250,000 steps to check is refused with a message that names the limit and the option to raise; no handler runs, and other calls are served.",
    source: { decision: "work-budget" },
    strength: "decision",
  },
  "tools:schema:remote-ref": {
    behavior: "A schema that refers to another document is refused as unusable-schema, and nothing is fetched.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic#ref-resolution",
    strength: "must",
    over: LOCAL,
  },
  "tools:schema:other-dialects": {
    behavior: "A schema that names 2019-09, draft-07 or draft-04 is listed as it is and validated by that dialect.",
    source: { decision: "any-standard-schema" },
    strength: "decision",
  },
  "tools:schema:unsupported-dialect": {
    behavior: "A schema of an unknown dialect is refused as unusable-schema, and the message names the dialect.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic#implementation-requirements",
    strength: "must",
    over: LOCAL,
  },
  "tools:schema:invalid": {
    behavior:
      "A schema that its dialect does not allow is refused as unusable-schema, and the message names the keyword.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic#schema-validation",
    strength: "must",
    over: LOCAL,
  },
  "tools:schema:bounds": {
    behavior: "A schema over 64 levels deep, or of over 10,000 subschemas, is refused as unusable-schema.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic#composition-keyword-resource-use",
    strength: "should",
    over: LOCAL,
  },
  "tools:schema:compilation-steps": {
    behavior:
      "A schema that takes over 250,000 steps to compile is refused as unusable-schema, and the message names the limit and the option to raise.",
    source: { decision: "work-budget" },
    strength: "decision",
    over: LOCAL,
  },
  "tools:schema:refusal-names-tool": {
    behavior: "The refusal of a schema names the tool, and which of its two schemas it is.",
    source: { decision: "any-standard-schema" },
    strength: "decision",
    over: LOCAL,
  },
  "tools:schema:own-validator": {
    behavior:
      "A validator given as an option checks plain JSON Schemas in place of the built-in one, on the side it was given to.",
    source: { decision: "any-standard-schema" },
    strength: "decision",
    since: "2025-06-18",
  },
  "tools:output-schema:listed": {
    behavior: "A tool's output schema is listed.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/tools#output-schema",
    strength: "may",
    since: "2025-06-18",
  },
  "tools:output-schema:server-validates": {
    behavior:
      "A value that fails the tool's output schema is never sent: the tool has failed, and onError is told why.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/tools#output-schema",
    strength: "must",
  },
  "tools:output-schema:missing-structured": {
    behavior:
      "A tool with an output schema whose result has no structured content has failed, and onError is told why.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/tools#output-schema",
    strength: "must",
  },
  "tools:output-schema:skip-on-error": {
    behavior: "A result with isError is neither checked by the server nor by the client against the output schema.",
    source: { decision: "error-results-are-unchecked" },
    strength: "decision",
  },
  "tools:output-schema:client-validates": {
    behavior: "A client that knows the tool's output schema rejects a result that fails it as invalid-result.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/tools#output-schema",
    strength: "should",
    since: "2025-06-18",
    over: SCRIPTED,
  },
  "tools:output-schema:client-missing-structured": {
    behavior: "Such a client rejects a result without structured content as invalid-result.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/tools#output-schema",
    strength: "should",
    since: "2025-06-18",
    over: SCRIPTED,
  },
  "tools:output-schema:client-2020-12": {
    behavior: "The client reads an output schema without $schema as 2020-12: prefixItems and local $ref count.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic#schema-dialect",
    strength: "must",
    since: "2025-11-25",
    over: SCRIPTED,
  },
  "tools:output-schema:client-falsy": {
    behavior: "A client checks null, 0, false and empty text like any other structured content.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/tools#output-schema",
    strength: "should",
    since: "2026-07-28",
    over: SCRIPTED,
  },
  "tools:output-schema:client-lists-first": {
    behavior:
      "A client told to check always lists the tools once when it does not know the one it called, and not again.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/tools#output-schema",
    strength: "should",
    since: "2025-06-18",
    over: SCRIPTED,
  },
  "tools:output-schema:client-lists-again": {
    behavior:
      "A list of tools that a checking client could not get fails that call alone: the next call asks for it again.",
    source: { decision: "output-checks" },
    strength: "decision",
    since: "2025-06-18",
  },
  "tools:output-schema:client-check-off": {
    behavior: "A client told never to check hands out structured content whatever the output schema says.",
    source: { decision: "output-checks" },
    strength: "decision",
    since: "2025-06-18",
    over: SCRIPTED,
  },
  "tools:output-schema:client-unusable": {
    behavior: "A tool whose output schema is unusable fails alone, with unusable-schema; nothing is fetched for it.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic#ref-resolution",
    strength: "should",
    since: "2025-06-18",
    over: SCRIPTED,
  },
  "tools:output-schema:client-hostile": {
    behavior:
      "An output schema, or structured content, that takes over 250,000 steps fails its own call alone: unusable-schema or invalid-result.",
    source: { decision: "work-budget" },
    strength: "decision",
    since: "2025-06-18",
    over: SCRIPTED,
  },
  "tools:call:structured-content": {
    behavior: "A handler's value for the output schema arrives as structured content.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/tools#structured-content",
    strength: "stated",
    since: "2025-06-18",
  },
  "tools:call:structured-content:as-text": {
    behavior: "Where structured content does not exist yet, its JSON arrives as text even if the text mirror is off.",
    source: { decision: "text-mirror" },
    strength: "decision",
    until: "2025-03-26",
  },
  "tools:call:structured-content:text-mirror": {
    behavior: "Structured content comes with its JSON as a text block.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/tools#structured-content",
    strength: "should",
    since: "2025-06-18",
  },
  "tools:call:structured-content:own-content": {
    behavior: "A handler that gives content beside its structured content gets no text mirror.",
    source: { decision: "text-mirror" },
    strength: "decision",
    since: "2025-06-18",
  },
  "tools:call:structured-content:mirror-off": {
    behavior: "A tool that turned the text mirror off sends structured content and no content blocks.",
    source: { decision: "text-mirror" },
    strength: "decision",
    since: "2025-06-18",
  },
  "tools:call:structured-content:any-json": {
    behavior:
      "Arrays, strings, numbers, booleans and null arrive as structured content, with their JSON as text; falsy ones are checked like others.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/tools#structured-content",
    strength: "may",
    since: "2026-07-28",
  },
  "tools:output-schema:natural": {
    behavior: "Output schemas of arrays, scalars and unions are listed as they were written.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/tools#output-schema",
    strength: "may",
    since: "2026-07-28",
  },
  "tools:output-schema:wrapped": {
    behavior:
      "An output schema that is no object is listed wrapped in one, under result, with its local $refs still good.",
    source: { decision: "legacy-output-wrapping" },
    strength: "decision",
    since: "2025-06-18",
    until: "2025-11-25",
  },
  "tools:output-schema:wrapped-scope": {
    behavior:
      "Wrapping leaves alone what only looks like a reference, and the references of a subschema that has an $id of its own.",
    source: { decision: "legacy-output-wrapping" },
    strength: "decision",
    since: "2025-06-18",
    until: "2025-11-25",
  },
  "tools:call:structured-content:wrapped": {
    behavior: "A value of such a schema arrives wrapped as { result }, even where the value itself is an object.",
    source: { decision: "legacy-output-wrapping" },
    strength: "decision",
    since: "2025-06-18",
    until: "2025-11-25",
  },
  "tools:call:structured-content:schemaless-wrapped": {
    behavior: "Without an output schema, structured content that is no object arrives wrapped as { result }.",
    source: { decision: "legacy-output-wrapping" },
    strength: "decision",
    since: "2025-06-18",
    until: "2025-11-25",
  },
};
