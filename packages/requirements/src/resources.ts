/** Resources: listing, reading, templates, registration. Subscriptions are not part of this area. */
import { LOCAL, type Requirements } from "./requirement.js";

export const resources: Requirements = {
  "resources:capability:declared": {
    behavior: "A server with a resource or a template announces the resources capability, and one without does not.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/resources#capabilities",
    strength: "must",
  },
  "resources:list:basic": {
    behavior: "resources/list gives each resource's URI, name, description and MIME type.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/resources#listing-resources",
    strength: "stated",
  },
  "resources:list:size": {
    behavior: "A resource's size in bytes is listed.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/resources#resource",
    strength: "stated",
  },
  "resources:list:title": {
    behavior: "The titles of resources and templates are listed.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/resources#resource",
    strength: "stated",
    since: "2025-06-18",
  },
  "resources:list:icons": {
    behavior: "The icons of resources and templates are listed untouched.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic#icons",
    strength: "may",
    since: "2025-11-25",
  },
  "resources:annotations": {
    behavior: "The annotations of resources and templates are listed untouched.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/resources#annotations",
    strength: "stated",
  },
  "resources:list:pagination": {
    behavior: "resources/list cuts into pages that together hold every resource once.",
    source:
      "https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/pagination#operations-supporting-pagination",
    strength: "stated",
  },
  "resources:read:text": {
    behavior: "A text resource arrives with its URI, MIME type and text.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/resources#text-content",
    strength: "stated",
  },
  "resources:read:blob": {
    behavior: "The bytes of a binary resource arrive as base64 in blob.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/resources#binary-content",
    strength: "stated",
  },
  "resources:read:multiple": {
    behavior: "One read may return several contents, each under its own URI, in the handler's order.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/resources#reading-resources",
    strength: "may",
  },
  "flow:tool-result:resource-link-follow": {
    behavior: "A client that follows the resource link of a tool's result reads that resource.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/tools#resource-links",
    strength: "may",
    since: "2025-06-18",
  },
  "resources:read:unknown-uri": {
    behavior: "Reading what does not exist is answered -32602 with data.uri, never with empty contents.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/resources#error-handling",
    strength: "must",
    since: "2026-07-28",
  },
  "resources:read:unknown-uri-legacy": {
    behavior: "Reading what does not exist is answered -32002 with data.uri.",
    source: "https://modelcontextprotocol.io/specification/2025-11-25/server/resources#error-handling",
    strength: "should",
    until: "2025-11-25",
  },
  "resources:read:empty-contents": {
    behavior: "A handler's result with empty contents is -32603 and reported, whoever made it, and is never sent.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/resources#error-handling",
    strength: "must",
  },
  "resources:read:malformed-uri": {
    behavior: "A read of what is no URI is -32602 that names params.uri, and no handler runs.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/resources#security-considerations",
    strength: "must",
  },
  "resources:read:formats": {
    behavior: "A blob that is no base64, and a MIME type or URI that is none, are -32603 and reported with the field.",
    source: { decision: "content-formats" },
    strength: "decision",
  },
  "resources:list:members": {
    behavior: "Resources that a template lists follow the registered ones, in pages that hold each of them once.",
    source: { decision: "listed-members" },
    strength: "decision",
  },
  "resources:list:members-checked": {
    behavior: "A listed resource that is malformed, or that its template does not serve, is -32603 and reported.",
    source: { decision: "listed-members" },
    strength: "decision",
  },
  "resources:list:members-private": {
    behavior:
      "All pages of a list with resources of templates are private, unless every template with a lister says listCacheScope public.",
    source: { decision: "listed-members" },
    strength: "decision",
    since: "2026-07-28",
  },
  "resources:list:members-cursor": {
    behavior: "A cursor that a list with members did not hand out is -32602.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/pagination#error-handling",
    strength: "should",
  },
  "resources:read:told-not-found": {
    behavior:
      "A client can tell that a resource does not exist by either code, and does not mistake other errors for it.",
    source: { decision: "not-found" },
    strength: "decision",
  },
  "resources:read:absent": {
    behavior:
      "A handler that returns undefined or null says that there is no such resource; no other template is asked.",
    source: { decision: "absent-resources" },
    strength: "decision",
  },
  "resources:read:handler-throws": {
    behavior: "What a resource's handler throws by accident is an opaque -32603 and is reported to onError.",
    source: { decision: "handler-crash-is-opaque" },
    strength: "decision",
  },
  "resources:templates:list": {
    behavior: "resources/templates/list gives each template's pattern, name, description and MIME type.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/resources#resource-templates",
    strength: "stated",
  },
  "resources:templates:pagination": {
    behavior: "resources/templates/list cuts into pages that together hold every template once.",
    source:
      "https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/pagination#operations-supporting-pagination",
    strength: "stated",
  },
  "resources:read:template-vars": {
    behavior: "A URI that fits a template reaches its handler with the values of the variables, percent-decoded.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/resources#resource-templates",
    strength: "stated",
  },
  "resources:read:template-operators": {
    behavior:
      "Reserved expansion, path segments, query parameters and lists of RFC 6570 are matched back to their values.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/resources#resource-templates",
    strength: "stated",
  },
  "resources:read:template-ends": {
    behavior: "A variable ends where what follows it first stands, and what follows a {+path} is read from the right.",
    source: { decision: "template-matching" },
    strength: "decision",
  },
  "resources:read:exact-before-template": {
    behavior: "A URI registered by itself is read before any template, and templates in the order of registration.",
    source: { decision: "resource-precedence" },
    strength: "decision",
  },
  "resources:read:template-unsafe": {
    behavior: "A value with a .. segment or a NUL, however it is written, fits no template that does not accept it.",
    source: { decision: "unsafe-template-values" },
    strength: "decision",
  },
  "resources:read:template-absolute": {
    behavior:
      "A path value that is absolute, names a drive, or is a file URL, however it is written, fits no template that does not accept it.",
    source: { decision: "unsafe-template-values" },
    strength: "decision",
  },
  "resources:read:template-query-value": {
    behavior: "A query or fragment value is no path: it may be absolute, but has no .. segment and no NUL.",
    source: { decision: "unsafe-template-values" },
    strength: "decision",
  },
  "resources:read:template-linear": {
    behavior: "A hostile URI of 64 KiB is matched against a template of many variables within a second.",
    source: { decision: "bounded-by-default" },
    strength: "decision",
    needs: ["long-names"],
  },
  "resources:read:template-long-uri": {
    behavior: "A URI of more than 65,536 characters fits no template.",
    source: { decision: "template-matching" },
    strength: "decision",
    needs: ["long-names"],
  },
  "resources:register:uri": {
    behavior:
      "A resource whose URI has no scheme by RFC 3986 is refused as invalid-argument; any scheme by it is taken.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/resources#custom-uri-schemes",
    strength: "must",
    over: LOCAL,
  },
  "resources:register:duplicate": {
    behavior: "Registering a second resource under a URI, or a template twice, is refused as duplicate-name.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/resources#resource",
    strength: "stated",
    over: LOCAL,
  },
  "resources:register:ambiguous-template": {
    behavior: "A template that could be read back in several ways is refused as invalid-argument and named.",
    source: { decision: "template-matching" },
    strength: "decision",
    over: LOCAL,
  },
  "resources:register:after-connect": {
    behavior: "Resources and templates registered while clients are connected are listed and readable at once.",
    source: { decision: "server-is-a-definition" },
    strength: "decision",
  },
  "resources:register:removal": {
    behavior: "A removed resource or template is listed no more and is unknown to reads.",
    source: { decision: "server-is-a-definition" },
    strength: "decision",
  },
};
