/** Presets of common upstream providers. */
import { SdkError } from "../../../errors/sdk-error.js";
import type { OAuth2Provider, OpenIdProvider } from "./upstream-provider.js";

/**
 * GitHub. Its scopes give access to the profile and the e-mail addresses. Add `read:org` to `scopes` for the organizations.
 *
 * @example
 * const login = upstreamLogin({ provider: github, clientId: "Iv1.0123", clientSecret: process.env.GITHUB_SECRET });
 */
export const github: OAuth2Provider = {
  name: "github",
  label: "GitHub",
  issuer: "https://github.com/login/oauth",
  authorizationEndpoint: "https://github.com/login/oauth/authorize",
  tokenEndpoint: "https://github.com/login/oauth/access_token",
  userInfoEndpoint: "https://api.github.com/user",
  scopes: ["read:user", "user:email"],
  // Login names can be changed and reused; the numeric id cannot.
  subjectField: "id",
  nameField: "login",
  emails: { url: "https://api.github.com/user/emails?per_page=100", scope: "user:email" },
  organizations: { url: "https://api.github.com/user/orgs?per_page=100", scope: "read:org" },
};

/**
 * Google. Requests a refresh token, so that the upstream token can be renewed.
 *
 * @example
 * const client = { clientId: "0123.apps.googleusercontent.com", clientSecret: process.env.GOOGLE_SECRET };
 * const login = upstreamLogin({ provider: google, ...client, allow: emailDomains("example.com") });
 */
export const google: OpenIdProvider = {
  name: "google",
  label: "Google",
  issuer: "https://accounts.google.com",
  parameters: { access_type: "offline", prompt: "consent" },
};

const TENANT = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * Microsoft Entra ID, for the accounts of one tenant.
 *
 * @param tenant the directory (tenant) id
 * @throws {SdkError} `invalid-argument` for anything but an id: names such as `common` let every tenant in
 * @example
 * const provider = microsoftEntra("6f1d4bd7-0000-0000-0000-000000000000");
 */
export function microsoftEntra(tenant: string): OpenIdProvider {
  if (!TENANT.test(tenant)) {
    throw new SdkError("invalid-argument", "tenant must be the directory (tenant) id, a UUID; names are not accepted");
  }
  return {
    name: "microsoft",
    label: "Microsoft",
    issuer: `https://login.microsoftonline.com/${tenant.toLowerCase()}/v2.0`,
    scopes: ["openid", "profile", "email", "offline_access"],
  };
}

/**
 * A tenant of Auth0.
 *
 * @param domain the host name of the tenant, such as `example.eu.auth0.com`
 * @example
 * const provider = auth0("example.eu.auth0.com");
 */
export function auth0(domain: string): OpenIdProvider {
  return {
    name: "auth0",
    label: "Auth0",
    issuer: `https://${domain}/`,
    scopes: ["openid", "profile", "email", "offline_access"],
  };
}

/**
 * A realm of Keycloak.
 *
 * @param realm the URL of the realm, such as `https://login.example.com/realms/staff`
 * @example
 * const provider = keycloak("https://login.example.com/realms/staff");
 */
export function keycloak(realm: string): OpenIdProvider {
  return { name: "keycloak", label: "Keycloak", issuer: realm };
}
