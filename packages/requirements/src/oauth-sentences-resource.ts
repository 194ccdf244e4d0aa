/** What sentences on authorization ask of a protected server beyond tokens, challenges and scopes. */
import { OVER_HTTP, type Requirement, type Requirements, type Strength } from "./requirement.js";

const PAGE = "https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization";
const RESTRICTION = "/security-considerations#access-token-privilege-restriction";

function spec(section: string, strength: Strength, behavior: string): Requirement {
  return { behavior, source: `${PAGE}${section}`, strength, over: OVER_HTTP };
}

export const oauthSentencesResource: Requirements = {
  "hosting:auth:before-processing": spec(
    RESTRICTION,
    "must",
    "A request whose token is refused runs no handler, opens no session and returns nothing of the server, in either era.",
  ),
  "hosting:auth:other-issuer": spec(
    "#token-handling",
    "must",
    "A token that another authorization server signed for this resource is 401.",
  ),
  "hosting:auth:token-secrecy": spec(
    "/security-considerations#token-theft",
    "must",
    "Hooks for errors, refusals and requests, and the console, are told of no token, good or not.",
  ),
  "hosting:auth:resource-spelling": spec(
    "#canonical-server-uri",
    "should",
    "An audience with capitals in scheme and host is accepted, and the metadata names the resource in canonical form.",
  ),
  "hosting:auth:scope-in-challenge": spec(
    "#scope-selection-strategy",
    "should",
    "Every 401 names the scopes that every request needs, or else those for basic use, the same each time.",
  ),
};
