/** Completion of prompt arguments and template variables. */
import { type Requirements, SCRIPTED } from "./requirement.js";

export const completion: Requirements = {
  "completion:capability:declared": {
    behavior:
      "A server announces the completions capability when a prompt or a template has suggestions, and only then.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/completion#capabilities",
    strength: "must",
    since: "2025-03-26",
  },
  "completion:capability:not-yet": {
    behavior:
      "Where the capability does not exist yet, none is announced and completion works, under strictCapabilities too.",
    source: { decision: "completion-before-its-capability" },
    strength: "decision",
    until: "2024-11-05",
  },
  "completion:complete:not-supported": {
    behavior: "completion/complete is answered -32601 by a server in which nothing has suggestions.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/completion#error-handling",
    strength: "should",
  },
  "completion:prompt-arg": {
    behavior: "What was typed for a prompt's argument reaches its completer, and the suggestions come back.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/completion#reference-types",
    strength: "stated",
  },
  "completion:resource-template-arg": {
    behavior: "What was typed for a template's variable reaches its completer, and the suggestions come back.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/completion#reference-types",
    strength: "stated",
  },
  "completion:context-arguments": {
    behavior: "Arguments settled before reach the completer.",
    source:
      "https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/completion#requesting-completions",
    strength: "stated",
    since: "2025-06-18",
  },
  "completion:result-shape": {
    behavior:
      "At most 100 values are sent in the completer's order; more are cut, counted in total and told by hasMore.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/completion#completion-results",
    strength: "stated",
  },
  "completion:client:partial-results": {
    behavior: "A completion result without values, total or hasMore reaches the caller as the server gave it.",
    source:
      "https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/completion#implementation-considerations",
    strength: "should",
    over: SCRIPTED,
  },
  "completion:no-completer": {
    behavior: "A known argument that has no completer gets no suggestions and no error.",
    source: { decision: "argument-without-completer" },
    strength: "decision",
  },
  "completion:error:invalid-ref": {
    behavior: "An unknown prompt, template or argument is answered -32602.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/completion#error-handling",
    strength: "should",
  },
  "completion:error:malformed": {
    behavior: "A completion request without reference or argument is answered -32602 with the path.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/completion#error-handling",
    strength: "should",
    over: SCRIPTED,
  },
};
