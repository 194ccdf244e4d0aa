/** Logins of a client that has a client id already: from the operator, or the URL of its metadata document. */
import { notObserved } from "../../judge/expectations.js";
import { type LoginTwist, playLogin } from "../played-login.js";
import type { ClientArea, Scenario } from "../scenario.js";
import { type Sighting, wantOf } from "../sighting.js";
import { authorizationOf, authRequests, queryOf, tokenRequestOf } from "./login.js";

/** What the client is told in the environment. Nobody fetches the document. */
const DOCUMENT = "https://client.parley-check.example/metadata.json";
const REGISTERED = "parley-check-registered";

function scenario(
  name: string,
  summary: string,
  told: Readonly<Record<string, string>>,
  metadata: LoginTwist["metadata"],
): Scenario {
  const twist: LoginTwist = metadata ? { metadata } : {};
  return { name, revisions: ["2025-11-25", "2026-07-28"], summary, told, script: playLogin(twist) };
}

function clientIdOf(sighting: Sighting): string | null {
  return queryOf(sighting).get("client_id");
}

export const clientIds: ClientArea = {
  area: "client-ids",
  scenarios: [
    scenario(
      "login-metadata-url",
      "An authorization server that takes the URL of a client metadata document, in PARLEY_CHECK_METADATA_URL, as a client id.",
      { PARLEY_CHECK_METADATA_URL: DOCUMENT },
      () => ({ client_id_metadata_document_supported: true }),
    ),
    scenario(
      "login-metadata-url-unsupported",
      "An authorization server that takes no URL as a client id, and lets clients register.",
      { PARLEY_CHECK_METADATA_URL: DOCUMENT },
      undefined,
    ),
    scenario(
      "login-registered",
      "An authorization server that knows the client id in PARLEY_CHECK_CLIENT_ID, without a secret.",
      { PARLEY_CHECK_CLIENT_ID: REGISTERED },
      undefined,
    ),
  ],
  checks: [
    {
      id: "client-metadata-url-not-registered",
      scenario: "login-metadata-url",
      requirement: "client-auth:cimd",
      title: "A client whose id is a URL does not register.",
      mend: "Use the URL of the metadata document in place of a registration.",
      judge: (seen) => {
        if (clientIdOf(authorizationOf(seen)) !== DOCUMENT) notObserved("the client uses no metadata document");
        const found = authRequests(seen, "/register");
        wantOf(found, found.length === 0, "no registration", "a registration");
      },
    },
    {
      id: "client-metadata-url-token",
      scenario: "login-metadata-url",
      requirement: "client-auth:cimd",
      title: "A client whose id is a URL names the same id at the token endpoint.",
      mend: "Send the URL as client_id with the token request.",
      judge: (seen) => {
        if (clientIdOf(authorizationOf(seen)) !== DOCUMENT) notObserved("the client uses no metadata document");
        const found = tokenRequestOf(seen);
        const id = new URLSearchParams(found.body).get("client_id");
        wantOf([found], id === DOCUMENT, DOCUMENT, id ?? "none");
      },
    },
    {
      id: "client-metadata-url-unsupported",
      scenario: "login-metadata-url-unsupported",
      requirement: "client-auth:cimd",
      title: "A URL is no client id at a server that does not advertise it.",
      mend: "Use the URL only if client_id_metadata_document_supported is true.",
      judge: (seen) => {
        const found = authorizationOf(seen);
        wantOf([found], clientIdOf(found) !== DOCUMENT, "another client id", DOCUMENT);
      },
    },
    {
      id: "client-registered-not-again",
      scenario: "login-registered",
      requirement: "client-auth:pre-registration",
      title: "A client that has a client id does not register.",
      mend: "Use the client id that the operator has given.",
      judge: (seen) => {
        if (clientIdOf(authorizationOf(seen)) !== REGISTERED) notObserved("the client does not use the given id");
        const found = authRequests(seen, "/register");
        wantOf(found, found.length === 0, "no registration", "a registration");
      },
    },
    {
      id: "client-registered-token",
      scenario: "login-registered",
      requirement: "client-auth:pre-registration",
      title: "The token request names the client id of the login.",
      mend: "Send the same client_id to both endpoints.",
      judge: (seen) => {
        if (clientIdOf(authorizationOf(seen)) !== REGISTERED) notObserved("the client does not use the given id");
        const found = tokenRequestOf(seen);
        const id = new URLSearchParams(found.body).get("client_id");
        wantOf([found], id === REGISTERED, REGISTERED, id ?? "none");
      },
    },
  ],
};
