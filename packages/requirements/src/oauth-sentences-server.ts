/** What sentences on authorization ask of an authorization server beyond logins, tokens and clients. */
import { OVER_HTTP, type Requirement, type Requirements, type Strength } from "./requirement.js";

const PAGE = "https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization";
const DOCUMENTS = "/client-registration#implementation-requirements";
const SECURITY = "/security-considerations";

function spec(section: string, strength: Strength, behavior: string): Requirement {
  return { behavior, source: `${PAGE}${section}`, strength, over: OVER_HTTP };
}

export const oauthSentencesServer: Requirements = {
  "oauth-server:loopback-ports": {
    behavior: "A loopback redirect URI may have another port than the registered one; any other difference is refused.",
    source: { decision: "loopback-ports" },
    strength: "decision",
    over: OVER_HTTP,
  },
  "oauth-server:consent-per-client": spec(
    `${SECURITY}#confused-deputy-problem`,
    "must",
    "A user who allowed one registered client is asked again for the next, in the same browser.",
  ),
  "oauth-server:redirect-host": spec(
    `${SECURITY}#localhost-redirect-uri-risks`,
    "must",
    "The page on which a user decides names the host of the redirect URI, and warns if it is this computer.",
  ),
  "oauth-server:document-structure": spec(
    DOCUMENTS,
    "must",
    "A client metadata document that is malformed, names a secret, redirects or is too large ends the login on a page, and is not cached.",
  ),
  "oauth-server:document-urls": spec(
    DOCUMENTS,
    "must",
    "A client id that is a URL without https or a path, or with a fragment or credentials, is an unknown client.",
  ),
  "oauth-server:client-credentials-metadata": spec(
    "#mcp-authorization-extensions",
    "stated",
    "Metadata lists the client credentials grant, the ways to authenticate for it, and the algorithms of assertions.",
  ),
  "flow:oauth:authorization-code-roundtrip": spec(
    "#authorization-flow-steps",
    "must",
    "A client finds a protected server's authorization server, registers, logs in by a browser, calls, refreshes and steps up.",
  ),
  "oauth-server:assertion-metadata": spec(
    "#mcp-authorization-extensions",
    "stated",
    "Metadata names the JWT bearer grant and the ID-JAG profile if a provider is trusted, and neither otherwise.",
  ),
  "oauth-server:assertion-claims": spec(
    "#mcp-authorization-extensions",
    "stated",
    "An ID-JAG that lacks one of its required claims is invalid_grant.",
  ),
};
