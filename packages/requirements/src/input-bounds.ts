/** Bounds of what one round of questions may hold. */
import { type Requirements, SCRIPTED } from "./requirement.js";

export const inputBounds: Requirements = {
  "mrtr:client:requests-cap": {
    behavior: "A round of more than maxInputRequests questions rejects the call as too-large; no handler runs.",
    source: { decision: "input-requests-cap" },
    strength: "decision",
    since: "2026-07-28",
    over: SCRIPTED,
  },
  "asking:questions-cap": {
    behavior: "A handler that asks more than maxInputRequests questions at once fails, and onError hears too-large.",
    source: { decision: "input-requests-cap" },
    strength: "decision",
    since: "2025-06-18",
    needs: ["server-requests"],
  },
  "asking:raw-form:questions-cap": {
    behavior: "A raw form of more than maxInputRequests questions is a failure of its handler, and nothing is asked.",
    source: { decision: "input-requests-cap" },
    strength: "decision",
    since: "2025-06-18",
    needs: ["server-requests"],
  },
  "asking:raw-form:valid-url": {
    behavior: "A raw form that asks to open something that is no valid URL fails its handler, and nothing is asked.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation#url-mode-elicitation-requests",
    strength: "must",
    since: "2025-11-25",
    needs: ["server-requests"],
  },
};
