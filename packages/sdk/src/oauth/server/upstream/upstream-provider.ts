/** Describes upstream providers as data: their issuer and endpoints, and the credentials of this server there. */

import { checkText } from "../../../errors/option-checks.js";
import { checkOptions, type OptionTable } from "../../../errors/option-table.js";
import { SdkError } from "../../../errors/sdk-error.js";
import { isSecureUrl } from "../../grammar/loopback.js";

interface ProviderFacts {
  /** The name of the provider in callback URLs: lower-case letters, digits and hyphens. */
  readonly name: string;
  /** The name that pages show. */
  readonly label: string;
  /** The issuer. It is the first part of every subject, so it must never change. */
  readonly issuer: string;
  /** Further parameters of the authorization request, such as `prompt`. @defaultValue none */
  readonly parameters?: Readonly<Record<string, string>>;
}

/** A provider of OpenID Connect. Its endpoints are discovered. */
export interface OpenIdProvider extends ProviderFacts {
  /** The scopes to ask for. `openid` must be one of them. @defaultValue openid, profile and email */
  readonly scopes?: readonly string[];
}

/** A list that a provider serves for tokens with a scope. */
export interface ScopedEndpoint {
  readonly url: string;
  /** The list is fetched only if this scope is asked for. */
  readonly scope: string;
}

/** A provider of OAuth 2 without ID tokens. Its user-info endpoint identifies the user. */
export interface OAuth2Provider extends ProviderFacts {
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
  readonly userInfoEndpoint: string;
  /** The scopes to ask for. */
  readonly scopes: readonly string[];
  /** The member of the user info that identifies the user permanently. @defaultValue "sub" */
  readonly subjectField?: string;
  /** The member of the user info that pages show. @defaultValue "name" */
  readonly nameField?: string;
  /** A list of objects with `email`, `primary` and `verified`. @defaultValue none: `email` counts with `email_verified` alone */
  readonly emails?: ScopedEndpoint;
  /** A list of objects with `login`. @defaultValue none */
  readonly organizations?: ScopedEndpoint;
}

/** A provider that users log in at. */
export type UpstreamProvider = OpenIdProvider | OAuth2Provider;

/** This server as a client of an upstream provider. All MCP clients share it. */
export interface UpstreamClient {
  readonly provider: UpstreamProvider;
  /** The client id that the provider assigned. */
  readonly clientId: string;
  /** The client secret that the provider assigned. @defaultValue none: a public client */
  readonly clientSecret?: string | undefined;
  /** The scopes to ask for. @defaultValue those of the provider */
  readonly scopes?: readonly string[] | undefined;
}

export const UPSTREAM_CLIENT_OPTIONS: OptionTable<UpstreamClient> = {
  ...{ provider: "object", clientId: true, clientSecret: true, scopes: "list" },
};
const PROVIDER_OPTIONS: OptionTable<UpstreamProvider> = {
  ...{ name: true, label: "string", issuer: true, parameters: "object", scopes: "list" },
  ...{ authorizationEndpoint: true, tokenEndpoint: true, userInfoEndpoint: true },
  ...{ subjectField: "string", nameField: "string", emails: "object", organizations: "object" },
};
const NAME = /^[a-z0-9][a-z0-9-]{0,31}$/;
const OPENID_SCOPES: readonly string[] = ["openid", "profile", "email"];

export function isOAuth2(provider: UpstreamProvider): provider is OAuth2Provider {
  return "authorizationEndpoint" in provider;
}

export function scopesOf({ provider, scopes }: UpstreamClient): readonly string[] {
  return scopes ?? provider.scopes ?? OPENID_SCOPES;
}

/** @throws {SdkError} `invalid-argument` that names the provider and what is wrong with it */
export function checkClient(client: UpstreamClient): void {
  const { provider, clientId } = client;
  const fail = (problem: string) =>
    new SdkError("invalid-argument", `provider ${JSON.stringify(provider.name)}: ${problem}`);
  checkOptions(`provider ${JSON.stringify(provider.name)}`, provider, PROVIDER_OPTIONS);
  if (!NAME.test(provider.name)) throw fail("name must have 1 to 32 lower-case letters, digits and hyphens");
  checkText(`provider ${JSON.stringify(provider.name)}: clientId`, clientId);
  // An undefined `clientSecret` is a missing secret. A public client omits the member.
  if ("clientSecret" in client)
    checkText(`provider ${JSON.stringify(provider.name)}: clientSecret`, client.clientSecret);
  const urls = isOAuth2(provider)
    ? {
        issuer: provider.issuer,
        authorizationEndpoint: provider.authorizationEndpoint,
        tokenEndpoint: provider.tokenEndpoint,
        userInfoEndpoint: provider.userInfoEndpoint,
      }
    : { issuer: provider.issuer };
  for (const [field, url] of Object.entries(urls)) {
    if (!URL.canParse(url) || !isSecureUrl(new URL(url))) {
      throw fail(`${field} must be an https URL, or an http URL on a loopback host`);
    }
  }
  if (!isOAuth2(provider) && !scopesOf(client).includes("openid")) throw fail("scopes must include openid");
}
