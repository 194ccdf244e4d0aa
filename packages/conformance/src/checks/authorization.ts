/** How a protected server refuses requests without a valid token, and the metadata that it points to. */
import type { CheckArea } from "../judge/check.js";
import { notObserved, want, wantStatus } from "../judge/expectations.js";
import type { Probe } from "../judge/probe.js";
import { type Answer, resultOf } from "../target/answer.js";
import { isObject, type JsonObject, parseJson } from "../wire/json-rpc.js";
import { plainMethod } from "./transport-http.js";

const WRONG_TOKEN = "parley-check-wrong-token";

async function asked(probe: Probe, authorization: string | undefined): Promise<Answer> {
  return probe.ask(plainMethod(probe), {}, { headers: { Authorization: authorization, authorization } });
}

async function challenge(probe: Probe, authorization?: string): Promise<string> {
  const answer = await asked(probe, authorization);
  return answer.http?.headers["www-authenticate"] ?? "";
}

/** The metadata of the resource, from the URL of the challenge or the well-known place. */
async function metadata(probe: Probe, isRequired = false): Promise<JsonObject> {
  const [, given = ""] = /resource_metadata="([^"]+)"/.exec(await challenge(probe)) ?? [];
  const named = URL.canParse(given) ? given : undefined;
  const { pathname, origin } = new URL(probe.targetName);
  const place = new URL(named ?? `/.well-known/oauth-protected-resource${pathname}`, origin);
  if (place.origin !== origin) notObserved(`the metadata is at another origin: ${place.origin}`);
  const path = place.pathname + place.search;
  const peer = await probe.peer();
  const answer = await peer.http(
    { verb: "GET", path, headers: { Accept: "application/json" } },
    { headers: { Authorization: undefined } },
  );
  if (isRequired) wantStatus(answer, 200);
  const document = parseJson(answer.http?.body ?? "");
  if (!isObject(document)) notObserved("the metadata is no JSON object");
  return document;
}

export const authorization: CheckArea = {
  area: "authorization",
  checks: [
    {
      id: "auth-challenge",
      requirement: "hosting:auth:missing-401",
      title: "A request without a token is answered with a Bearer challenge.",
      mend: "Send WWW-Authenticate: Bearer with status 401.",
      over: "http",
      needs: ["authorization"],
      async run(probe) {
        const said = await challenge(probe);
        // Challenges of other schemes may come before it.
        want(/(?:^|,\s*)bearer\b/i.test(said), "WWW-Authenticate: Bearer", said);
      },
    },
    {
      id: "auth-challenge-metadata",
      requirement: "hosting:auth:missing-401",
      title: "The challenge names the URL of the resource metadata, or the metadata is at its well-known place.",
      mend: 'Add resource_metadata="…" to WWW-Authenticate.',
      over: "http",
      needs: ["authorization"],
      async run(probe) {
        const said = await challenge(probe);
        if (!/resource_metadata="https?:/.test(said)) await metadata(probe, true);
      },
    },
    {
      id: "auth-challenge-scope",
      requirement: "hosting:auth:scope-in-challenge",
      title: "The challenge names the scopes that are needed.",
      mend: 'Add scope="…" to WWW-Authenticate.',
      over: "http",
      needs: ["authorization"],
      async run(probe) {
        const said = await challenge(probe);
        want(/\bscope=/.test(said), "scope", said);
      },
    },
    {
      id: "auth-invalid-token",
      requirement: "hosting:auth:invalid-401",
      title: "A token that is not valid is answered with 401.",
      mend: "Verify each token, and answer 401 to those that are not valid.",
      over: "http",
      needs: ["authorization"],
      async run(probe) {
        wantStatus(await asked(probe, `Bearer ${WRONG_TOKEN}`), 401);
      },
    },
    {
      id: "auth-invalid-token-error",
      requirement: "hosting:auth:invalid-401",
      atMost: "warning",
      title: "The refusal of a token says invalid_token.",
      mend: 'Add error="invalid_token" to WWW-Authenticate.',
      over: "http",
      needs: ["authorization"],
      async run(probe) {
        const answer = await asked(probe, `Bearer ${WRONG_TOKEN}`);
        if (answer.http?.status !== 401) notObserved("the token was not refused");
        const said = answer.http.headers["www-authenticate"] ?? "";
        want(said.includes("invalid_token"), 'error="invalid_token"', said);
      },
    },
    {
      id: "auth-nothing-served",
      requirement: "hosting:auth:before-processing",
      title: "A refused request returns nothing of the server.",
      mend: "Check the token before the message is handled.",
      over: "http",
      needs: ["authorization"],
      async run(probe) {
        const answer = await asked(probe, undefined);
        want(resultOf(answer) === undefined, "no result", resultOf(answer));
      },
    },
    {
      id: "auth-metadata-served",
      requirement: "hosting:auth:metadata-endpoints",
      title: "The resource metadata can be fetched without a token.",
      mend: "Serve /.well-known/oauth-protected-resource to anybody.",
      over: "http",
      needs: ["authorization"],
      async run(probe) {
        await metadata(probe, true);
      },
    },
    {
      id: "auth-metadata-resource",
      requirement: "hosting:auth:prm:authorization-servers-field",
      title: "The resource metadata names the resource.",
      mend: "Put the URL of the MCP endpoint into resource.",
      over: "http",
      needs: ["authorization"],
      async run(probe) {
        const { resource } = await metadata(probe);
        want(typeof resource === "string" && URL.canParse(resource), "a URL as resource", resource);
      },
    },
    {
      id: "auth-metadata-servers",
      requirement: "hosting:auth:prm:authorization-servers-field",
      title: "The resource metadata names at least one authorization server.",
      mend: "List the issuers of accepted tokens in authorization_servers.",
      over: "http",
      needs: ["authorization"],
      async run(probe) {
        const { authorization_servers: servers } = await metadata(probe);
        want(Array.isArray(servers) && servers.length > 0, "a list with an issuer", servers);
      },
    },
  ],
};
