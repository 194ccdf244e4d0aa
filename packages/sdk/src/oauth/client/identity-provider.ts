/** Exchanges a user's identity token at an enterprise's identity provider for an assertion (ID-JAG). */
import { SdkError } from "../../errors/sdk-error.js";
import { joinScopes } from "../grammar/scope.js";
import type { RegisteredClient } from "./client-authentication.js";
import { type DiscoveredServer, discoverAuthorizationServer } from "./server-discovery.js";
import type { GrantRequest } from "./token-grant.js";
import { postToTokenEndpoint } from "./token-request.js";

const TOKEN_EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
const ID_JAG = "urn:ietf:params:oauth:token-type:id-jag";
const ID_TOKEN = "urn:ietf:params:oauth:token-type:id_token";

/** The identity provider of an enterprise, and the user's identity there. */
export interface IdentityProviderOptions {
  /** Issuer of the identity provider. Its metadata names the token endpoint, unless `tokenEndpoint` does. */
  readonly issuer: string;
  /** URL of the token endpoint. @defaultValue as the metadata of the issuer says */
  readonly tokenEndpoint?: string | undefined;
  /** This client at the identity provider. */
  readonly client: RegisteredClient;
  /** Identity of the user: an ID token, or another token of `subjectTokenType`. A function is called for every exchange. */
  readonly subjectToken: string | (() => string | Promise<string>);
  /** Type of the token, a URN of RFC 8693. @defaultValue "urn:ietf:params:oauth:token-type:id_token" */
  readonly subjectTokenType?: string | undefined;
}

/** @throws {OAuthError} the error that the provider answers. @throws {SdkError} `authorization-failed` for an answer without an ID-JAG. */
export async function exchangeIdentity(
  { issuer, tokenEndpoint, client, subjectToken, subjectTokenType = ID_TOKEN }: IdentityProviderOptions,
  { server, resource, scopes, fetch, signal }: GrantRequest,
): Promise<string> {
  const provider: DiscoveredServer =
    tokenEndpoint === undefined
      ? await discoverAuthorizationServer(issuer, fetch)
      : { issuer, metadata: { issuer, token_endpoint: tokenEndpoint }, isDescribed: false };
  const parameters = {
    requested_token_type: ID_JAG,
    audience: server.issuer,
    resource,
    ...(scopes.length > 0 && { scope: joinScopes(scopes) }),
    subject_token: typeof subjectToken === "string" ? subjectToken : await subjectToken(),
    subject_token_type: subjectTokenType,
  };
  const request = { server: provider, client, grantType: TOKEN_EXCHANGE, parameters, fetch, signal };
  const { issued_token_type, access_token } = await postToTokenEndpoint(request);
  if (issued_token_type === ID_JAG && typeof access_token === "string" && access_token !== "") return access_token;
  throw new SdkError(
    "authorization-failed",
    `${issuer} answered the token exchange with something else than an ID-JAG`,
  );
}
