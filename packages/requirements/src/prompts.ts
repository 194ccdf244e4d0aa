/** Prompts: listing, getting, arguments, every kind of content, registration. */
import { LOCAL, type Requirements } from "./requirement.js";

export const prompts: Requirements = {
  "prompts:capability:declared": {
    behavior: "A server with a prompt announces the prompts capability, and one without does not.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/prompts#capabilities",
    strength: "must",
  },
  "prompts:list:basic": {
    behavior: "prompts/list gives each prompt's name, description and arguments with what is required.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/prompts#listing-prompts",
    strength: "stated",
  },
  "prompts:list:title": {
    behavior: "A prompt's title is listed.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/prompts#prompt",
    strength: "stated",
    since: "2025-06-18",
  },
  "prompts:list:icons": {
    behavior: "A prompt's icons are listed untouched.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic#icons",
    strength: "may",
    since: "2025-11-25",
  },
  "prompts:get:content:formats": {
    behavior:
      "Images and sounds of a prompt have base64 data and a MIME type, bytes are encoded, and anything else is -32603 and reported with its field.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/prompts#image-content",
    strength: "must",
    since: "2025-03-26",
  },
  "prompts:list:pagination": {
    behavior: "prompts/list cuts into pages that together hold every prompt once.",
    source:
      "https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/pagination#operations-supporting-pagination",
    strength: "stated",
  },
  "prompts:get:no-args": {
    behavior: "A prompt without arguments returns its description and messages.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/prompts#getting-a-prompt",
    strength: "stated",
  },
  "prompts:get:with-args": {
    behavior: "The arguments of prompts/get reach the handler.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/prompts#getting-a-prompt",
    strength: "stated",
  },
  "prompts:get:optional-args": {
    behavior: "An optional argument may be left out, and is listed as not required.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/schema#promptargument",
    strength: "stated",
  },
  "prompts:get:multi-message": {
    behavior: "Messages of both roles arrive in the handler's order.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/prompts#promptmessage",
    strength: "may",
  },
  "prompts:get:content:image": {
    behavior: "A prompt's image arrives with its base64 data and MIME type.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/prompts#image-content",
    strength: "may",
  },
  "prompts:get:content:audio": {
    behavior: "A prompt's audio arrives with its base64 data and MIME type.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/prompts#audio-content",
    strength: "may",
    since: "2025-03-26",
  },
  "prompts:get:content:embedded-resource": {
    behavior: "A resource embedded in a prompt arrives with its URI, MIME type, and text or bytes.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/prompts#embedded-resources",
    strength: "may",
  },
  "prompts:get:content:resource-link": {
    behavior: "A prompt's resource link arrives with its URI, name and the rest.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/prompts#resource-links",
    strength: "may",
    since: "2025-06-18",
  },
  "prompts:get:content:audio-downgrade": {
    behavior: "Where audio does not exist yet, a prompt's audio arrives as a text block that names it.",
    source: { decision: "content-downgrade" },
    strength: "decision",
    until: "2024-11-05",
  },
  "prompts:get:content:resource-link-downgrade": {
    behavior: "Where resource links do not exist yet, a prompt's link arrives as a text block with its name and URI.",
    source: { decision: "content-downgrade" },
    strength: "decision",
    until: "2025-03-26",
  },
  "prompts:get:missing-required-args": {
    behavior: "A missing required argument is answered -32602 with a message that names it; no handler runs.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/prompts#error-handling",
    strength: "should",
  },
  "prompts:get:args-validation": {
    behavior: "An argument that fails the prompt's schema, Zod, Valibot, ArkType or JSON Schema, is answered -32602.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/prompts#implementation-considerations",
    strength: "should",
  },
  "prompts:get:unknown-name": {
    behavior: "Getting a prompt that does not exist is answered -32602, and the message names it.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/prompts#error-handling",
    strength: "should",
  },
  "prompts:get:handler-throws": {
    behavior: "What a prompt's handler throws by accident is an opaque -32603 and is reported to onError.",
    source: { decision: "handler-crash-is-opaque" },
    strength: "decision",
  },
  "prompts:get:returns": {
    behavior: "A handler may return the text of one user message, messages, or a full result.",
    source: { decision: "handler-returns" },
    strength: "decision",
  },
  "prompts:register:duplicate-name": {
    behavior: "Registering a second prompt under a name is refused as duplicate-name, and the first one stays.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/prompts#prompt",
    strength: "stated",
  },
  "prompts:register:refusal-names-prompt": {
    behavior: "The refusal of a schema names the prompt.",
    source: { decision: "any-standard-schema" },
    strength: "decision",
    over: LOCAL,
  },
  "prompts:register:after-connect": {
    behavior: "A prompt registered while clients are connected is listed and can be got at once.",
    source: { decision: "server-is-a-definition" },
    strength: "decision",
  },
  "prompts:register:removal": {
    behavior: "A removed prompt is listed no more and is unknown to prompts/get.",
    source: { decision: "server-is-a-definition" },
    strength: "decision",
  },
};
