/** Resources, prompts, completion, pagination, logging: what a server offers beside tools. */
import type { KnownBehaviors } from "./known-behavior.js";

export const offersBehaviors: KnownBehaviors = {
  same: [
    "mcpserver:context:logging",
    "resources:annotations",
    "resources:capability:declared",
    "resources:list:basic",
    "resources:list:pagination",
    "resources:read:blob",
    "resources:read:template-vars",
    "resources:read:text",
    "resources:read:unknown-uri",
    "resources:templates:list",
    "resources:templates:pagination",
    "prompts:capability:declared",
    "prompts:get:content:audio",
    "prompts:get:content:embedded-resource",
    "prompts:get:content:image",
    "prompts:get:missing-required-args",
    "prompts:get:multi-message",
    "prompts:get:no-args",
    "prompts:get:unknown-name",
    "prompts:get:with-args",
    "prompts:list:basic",
    "prompts:list:pagination",
    "completion:capability:declared",
    "completion:complete:not-supported",
    "completion:context-arguments",
    "completion:error:invalid-ref",
    "completion:prompt-arg",
    "completion:resource-template-arg",
    "completion:result-shape",
    "logging:capability:declared",
    "logging:message:all-levels",
    "logging:message:fields",
    "logging:message:filtered",
    "logging:set-level",
    "logging:set-level:invalid-level",
    "logging:per-request:opt-in",
    "logging:per-request:threshold",
    "logging:per-request:invalid-level",
    "pagination:exhaustion",
    "pagination:invalid-cursor",
    "pagination:client:cursor-handling",
  ],
  elsewhere: {
    "mcpserver:context:progress": ["tools:call:progress", "protocol:progress:callback"],
    "mcpserver:resource:duplicate-name": ["resources:register:duplicate"],
    "mcpserver:resource:read-throws-surfaced": ["resources:read:handler-throws"],
    "mcpserver:resource:static": ["resources:list:basic", "resources:read:text"],
    "mcpserver:resource:template": ["resources:templates:list", "resources:read:template-vars"],
    "mcpserver:resource:unknown-uri": ["resources:read:unknown-uri", "resources:read:unknown-uri-legacy"],
    "mcpserver:prompt:args-validation": ["prompts:get:args-validation"],
    "mcpserver:prompt:decorated": ["prompts:list:basic", "prompts:get:with-args", "prompts:get:returns"],
    "mcpserver:prompt:duplicate-name": ["prompts:register:duplicate-name"],
    "mcpserver:prompt:optional-args": ["prompts:get:optional-args"],
    "mcpserver:prompt:unknown-name": ["prompts:get:unknown-name"],
    "mcpserver:completion:capability-auto": ["completion:capability:declared", "completion:complete:not-supported"],
    "mcpserver:onerror:reach-through": [
      "errors:handler:reported",
      "protocol:frame:unparsable",
      "protocol:frame:not-a-message",
    ],
    "mcpserver:reach-through:set-request-handler": [
      "protocol:custom-method:roundtrip",
      "protocol:request-handler:override-builtin",
    ],
    "mcpserver:context:log-from-handler": ["tools:call:logging-mid-execution"],
  },
  otherwise: {
    "mcpserver:resource:handle-update-remove": {
      because: "A registration is removed and made anew; both show in the lists and are announced once.",
      instead: ["mcpserver:register:post-connect", "mcpserver:list-changed:debounce"],
    },
    "mcpserver:resource:metadata-override": {
      because:
        "A server whose resources are known only when they are listed sets a handler of its own for resources/list.",
      instead: ["protocol:request-handler:override-builtin"],
    },
    "mcpserver:resource:template-list-callback": {
      because:
        "A server whose resources are known only when they are listed sets a handler of its own for resources/list.",
      instead: ["protocol:request-handler:override-builtin"],
    },
    "mcpserver:prompt:handle-update-remove": {
      because: "A registration is removed and made anew; both show in the lists and are announced once.",
      instead: ["mcpserver:register:post-connect", "mcpserver:list-changed:debounce"],
    },
    "logging:out-of-band:basic": {
      because: "A log message belongs to a request in both eras; the modern one forbids it anywhere else.",
      instead: ["logging:message:after-request", "logging:per-request:own-stream"],
    },
    "mcpserver:handle:enable-disable": {
      because:
        "An item is hidden from its list by listed, for some requests if that is a function, and is still served; one that is to be neither listed nor served is removed, and registered anew.",
      instead: ["pagination:hidden:served", "pagination:hidden:by-request", "mcpserver:register:post-connect"],
    },
  },
  notApplicable: {
    "mcpserver:context:read-resource": {
      reason: "another-api",
      because: "Handlers are plain functions: a tool that needs what a resource gives calls the same function.",
    },
    "mcpserver:resource:legacy-overload": {
      reason: "another-api",
      because: "They are older ways of one implementation to register resources, which it has removed.",
    },
    "mcpserver:prompt:legacy-overload": {
      reason: "another-api",
      because: "They are older ways of one implementation to register prompts, which it has removed.",
    },
  },
};
