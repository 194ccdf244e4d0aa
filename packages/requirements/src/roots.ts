/** Roots: what a client lets a server work on. */
import { type Requirements, SCRIPTED } from "./requirement.js";

export const roots: Requirements = {
  "roots:capability:declare": {
    behavior: "A client with roots, even if there are none at the moment, declares them, and one without does not.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/client/roots#capabilities",
    strength: "must",
    needs: ["session"],
  },
  "roots:list:basic": {
    behavior: "A tool gets the roots of the client, with their names and in order.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/client/roots#listing-roots",
    strength: "must",
    needs: ["server-requests"],
  },
  "roots:list:request": {
    behavior: "In the legacy era the roots are asked for by a request of the server while the call is open.",
    source: "https://modelcontextprotocol.io/specification/2025-11-25/client/roots#listing-roots",
    strength: "must",
    until: "2025-11-25",
    needs: ["server-requests"],
  },
  "roots:mrtr:list:basic": {
    behavior: "In the modern era the roots are asked for in an input_required result, and the server sends no request.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/client/roots#listing-roots",
    strength: "must",
    since: "2026-07-28",
  },
  "roots:list:function": {
    behavior: "Roots given as a function are asked for anew each time.",
    source: { decision: "asking-written-once" },
    strength: "decision",
    needs: ["server-requests"],
  },
  "roots:list:empty": {
    behavior: "An empty list of roots is an answer.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/client/roots#listing-roots",
    strength: "may",
    needs: ["server-requests"],
  },
  "roots:list:client-error": {
    behavior: "An error of the client's roots reaches the tool: a deliberate one as it is, a crash as -32603.",
    source: "https://modelcontextprotocol.io/specification/2025-11-25/client/roots#error-handling",
    strength: "should",
    until: "2025-11-25",
    needs: ["server-requests"],
  },
  "roots:mrtr:list:client-error": {
    behavior: "An error of the client's roots ends the client's own call, and nothing is sent again.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/client/roots#error-handling",
    strength: "may",
    since: "2026-07-28",
  },
  "roots:list:not-supported": {
    behavior: "A client without roots answers -32601.",
    source: "https://modelcontextprotocol.io/specification/2025-11-25/client/roots#error-handling",
    strength: "should",
    until: "2025-11-25",
    over: SCRIPTED,
  },
  "roots:mrtr:list:not-supported": {
    behavior: "A client without roots that is asked for them ends its call and sends nothing.",
    source: { decision: "failing-input-handlers" },
    strength: "decision",
    since: "2026-07-28",
    over: SCRIPTED,
  },
  "roots:list:server-gated": {
    behavior: "A client that did not declare roots is not asked: the call fails and names the capability.",
    source:
      "https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr#server-requirements-basic-workflow",
    strength: "must",
  },
  "roots:uri:file-scheme": {
    behavior: "A root that is no file URI is refused: in the legacy era in the tool, in the modern one with -32602.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/client/roots#root",
    strength: "must",
    over: SCRIPTED,
  },
  "roots:uri:client-checks": {
    behavior: "A client does not give out a root that is no file URI or that leads up and out of itself.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/client/roots#security-considerations",
    strength: "must",
    needs: ["server-requests"],
  },
  "roots:list-changed": {
    behavior: "A client's notification that its roots changed reaches the server's handler.",
    source: "https://modelcontextprotocol.io/specification/2025-11-25/client/roots#root-list-changes",
    strength: "must",
    until: "2025-11-25",
    needs: ["server-requests"],
  },
  "roots:list-changed:by-itself": {
    behavior: "A client whose roots are replaced announces it by itself, if it declared that it would.",
    source: "https://modelcontextprotocol.io/specification/2025-11-25/client/roots#root-list-changes",
    strength: "must",
    until: "2025-11-25",
    needs: ["server-requests"],
  },
  "roots:replaced": {
    behavior: "Replaced roots are what a tool gets from then on, in every revision; a client without roots gets none.",
    source: { decision: "own-capabilities" },
    strength: "decision",
    needs: ["server-requests"],
  },
  "roots:list-changed:capability": {
    behavior: "A client that will announce changes declares it beside its roots.",
    source: "https://modelcontextprotocol.io/specification/2025-11-25/client/roots#capabilities",
    strength: "must",
    until: "2025-11-25",
    needs: ["server-requests"],
  },
  "roots:list-changed:by-hand": {
    behavior: "Roots, given as a list or a function, do not declare by themselves that their changes are announced.",
    source: { decision: "own-capabilities" },
    strength: "decision",
    until: "2025-11-25",
    needs: ["session"],
  },
  "roots:list-changed:gone": {
    behavior: "The notification of changed roots is not sent where the revision does not have it.",
    source: { decision: "methods-by-revision" },
    strength: "decision",
    since: "2026-07-28",
  },
};
