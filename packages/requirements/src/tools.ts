/** Tools: listing, calling, every kind of content, failures, registration. Their schemas are in tool-schemas.ts. */
import { LOCAL, type Requirements, SCRIPTED } from "./requirement.js";

export const tools: Requirements = {
  "tools:register:handler-alone": {
    behavior: "A tool and a prompt can be registered with a name and a handler alone; both take no arguments.",
    source: { decision: "handler-alone" },
    strength: "decision",
  },
  "tools:content:helpers": {
    behavior: "text, image, audio, resourceLink and embeddedResource make the blocks of a result; bytes are encoded.",
    source: { decision: "content-helpers" },
    strength: "decision",
    since: "2025-06-18",
  },
  "tools:call:throw-handler-errors": {
    behavior:
      "With throwHandlerErrors, an in-process call rejects with the exception of its handler; a ToolError is still a result.",
    source: { decision: "handler-errors-in-tests" },
    strength: "decision",
    over: LOCAL,
  },
  "tools:call:by-params": {
    behavior:
      "A tool can be called by the params of tools/call, as helpers made for other clients do, _meta and timeout included.",
    source: { decision: "calls-by-params" },
    strength: "decision",
  },
  "tools:capability:declared": {
    behavior: "A server with a tool announces the tools capability, and one without does not.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/tools#capabilities",
    strength: "must",
  },
  "tools:list:basic": {
    behavior: "tools/list gives each tool's name, description and input schema.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/tools#listing-tools",
    strength: "stated",
  },
  "tools:list:order": {
    behavior: "tools/list keeps the order of registration, the same at every request.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/tools#capabilities",
    strength: "should",
  },
  "tools:list:annotations": {
    behavior: "A tool's annotations are listed untouched.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/tools#tool",
    strength: "may",
    since: "2025-03-26",
  },
  "tools:list:title": {
    behavior: "A tool's title is listed.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/tools#tool",
    strength: "may",
    since: "2025-06-18",
  },
  "tools:list:icons": {
    behavior: "A tool's icons are listed untouched.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic#icons",
    strength: "may",
    since: "2025-11-25",
  },
  "tools:list:pagination": {
    behavior: "tools/list cuts into pages that together hold every tool once.",
    source:
      "https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/pagination#operations-supporting-pagination",
    strength: "stated",
  },
  "tools:call:content:text": {
    behavior: "tools/call hands the arguments to the handler and returns its text content.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/tools#text-content",
    strength: "stated",
  },
  "tools:call:content:image": {
    behavior: "A tool's image arrives with its base64 data and MIME type.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/tools#image-content",
    strength: "stated",
  },
  "tools:call:content:audio": {
    behavior: "A tool's audio arrives with its base64 data and MIME type.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/tools#audio-content",
    strength: "stated",
    since: "2025-03-26",
  },
  "tools:call:content:audio-downgrade": {
    behavior: "Where audio does not exist yet, a tool's audio arrives as a text block that names it.",
    source: { decision: "content-downgrade" },
    strength: "decision",
    until: "2024-11-05",
  },
  "tools:call:content:resource-link": {
    behavior: "A tool's resource link arrives with its URI, name and the rest.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/tools#resource-links",
    strength: "may",
    since: "2025-06-18",
  },
  "tools:call:content:resource-link-downgrade": {
    behavior: "Where resource links do not exist yet, a tool's link arrives as a text block with its name and URI.",
    source: { decision: "content-downgrade" },
    strength: "decision",
    until: "2025-03-26",
  },
  "tools:call:content:embedded-resource": {
    behavior: "A resource embedded in a tool's result arrives with its URI, MIME type, and text or bytes.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/tools#embedded-resources",
    strength: "may",
  },
  "tools:call:content:embedded-alone": {
    behavior: "A server without the resources capability may embed a resource in a tool's result.",
    source: { decision: "embedded-resources" },
    strength: "decision",
    needs: ["session"],
  },
  "tools:call:content:mixed": {
    behavior: "Content blocks of different types arrive in the order the handler gave.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/tools#tool-result",
    strength: "may",
  },
  "tools:call:content:annotations": {
    behavior: "The annotations of a content block arrive untouched.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/tools#tool-result",
    strength: "may",
  },
  "tools:call:content:formats": {
    behavior:
      "Data that is no base64, a MIME type or URI that is none and a priority outside of 0 to 1 do not leave a tool; onError hears the tool and the field.",
    source: { decision: "content-formats" },
    strength: "decision",
  },
  "tools:call:content:bytes": {
    behavior: "Bytes in the images, sounds and resources of a tool's result arrive as base64.",
    source: { decision: "handler-returns" },
    strength: "decision",
    since: "2025-03-26",
  },
  "tools:register:arguments": {
    behavior:
      "A side without a version, and a registration without a handler or a name, or with a misplaced schema, are refused and say what to write.",
    source: { decision: "plain-javascript" },
    strength: "decision",
    over: LOCAL,
  },
  "tools:register:icons": {
    behavior: "An icon whose URI is neither https: nor data: is refused wherever an author can give one.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic#icons",
    strength: "must",
    over: LOCAL,
  },
  "tools:call:returns": {
    behavior:
      "A handler may return a string, content blocks, a full result or nothing, and each becomes a valid result.",
    source: { decision: "handler-returns" },
    strength: "decision",
  },
  "tools:call:no-arguments": {
    behavior: "A call without arguments hands its handler an empty object.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/schema#calltoolrequestparams",
    strength: "stated",
  },
  "tools:call:concurrent": {
    behavior: "Calls made at the same time run at the same time, and each caller gets its own result.",
    source: { decision: "concurrent-requests" },
    strength: "decision",
  },
  "tools:call:progress": {
    behavior: "The progress of a tool reaches its caller before the result.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/progress#progress-flow",
    strength: "may",
    needs: ["notifications"],
  },
  "tools:call:context": {
    behavior: "A tool's handler reads the request's id, method, _meta, signal and client from its context.",
    source: { decision: "handler-context" },
    strength: "decision",
    needs: ["session"],
  },
  "tasks:no-capability:ignore-task-param": {
    behavior:
      "A server without tasks serves a call that asks to run as a task like any other, and answers with its result.",
    source: "https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks#task-support-and-handling",
    strength: "must",
    since: "2025-11-25",
    until: "2025-11-25",
    over: SCRIPTED,
  },
  "tools:call:is-error": {
    behavior: "A handler that returns a result with isError fails the tool, not the request.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/tools#error-handling",
    strength: "stated",
  },
  "tools:call:tool-error": {
    behavior: "A ToolError that a handler throws arrives as a result with isError and its message as text.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/schema#calltoolresult",
    strength: "should",
  },
  "tools:call:handler-throws": {
    behavior:
      "Anything else that a tool's handler throws is a result with isError that tells nothing of it; onError hears it.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/schema#calltoolresult",
    strength: "should",
  },
  "tools:call:exposed-errors": {
    behavior:
      "With exposeToolErrors the result has the message of the error, unless another server wrote or may have written that.",
    source: { decision: "tool-failures-are-results" },
    strength: "decision",
  },
  "tools:call:middleware-sees-crash": {
    behavior: "Middleware sees what a tool threw, a ToolError among it, and may throw a ToolError in its place.",
    source: { decision: "tool-failures-are-results" },
    strength: "decision",
  },
  "tools:call:protocol-error": {
    behavior: "A protocol error that a tool's handler throws is the answer, with its code, message and data.",
    source: { decision: "tool-failures-are-results" },
    strength: "decision",
  },
  "tools:call:unknown-name": {
    behavior: "Calling a tool that does not exist is answered -32602, and the message names it.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/tools#error-handling",
    strength: "stated",
  },
  "tools:names:case-sensitive": {
    behavior:
      "Tools whose names differ in case alone are different tools: both are listed, and each is called by its own.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/tools#tool-names",
    strength: "should",
  },
  "tools:call:prototype-name": {
    behavior: "The names __proto__, constructor and toString are unknown tools like any other.",
    source: { decision: "hostile-keys-are-data" },
    strength: "decision",
  },
  "tools:register:duplicate-name": {
    behavior: "Registering a second tool under a name is refused as duplicate-name, and the first one stays.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/tools#tool-names",
    strength: "should",
  },
  "tools:register:name-check": {
    behavior: "A tool name that is empty, over 128 characters or holds other signs than A-Z a-z 0-9 _ - . is refused.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/tools#tool-names",
    strength: "should",
    over: LOCAL,
  },
  "tools:register:any-name": {
    behavior: "A server that lifts the check on tool names lists and serves a tool under any name.",
    source: { decision: "tool-names" },
    strength: "decision",
  },
  "tools:register:after-connect": {
    behavior: "A tool registered while clients are connected is listed and can be called at once.",
    source: { decision: "server-is-a-definition" },
    strength: "decision",
  },
  "tools:register:removal": {
    behavior: "A removed tool is listed no more and unknown to calls, while calls under way finish.",
    source: { decision: "server-is-a-definition" },
    strength: "decision",
  },
};
