export type { UpstreamToken } from "../../transport/auth-info.js";
export type { AllowPrivate } from "../grammar/guarded-fetch.js";
export { OAuthError } from "../grammar/oauth-error.js";
export type { VerifiedAccessToken } from "./access-tokens.js";
export {
  type AuthorizationServer,
  type AuthorizationServerOptions,
  authorizationServer,
} from "./authorization-server.js";
export type { AuthorizationStore, StoredRecord, StoreTable, StoreTables } from "./authorization-store.js";
export type { ConfiguredClient, GrantType } from "./client-record.js";
export type { TrustedIssuer } from "./identity-assertion-grant.js";
export { InMemoryAuthorizationStore, type MemoryAuthorizationStoreOptions } from "./in-memory-authorization-store.js";
export type {
  KeptUpstream,
  LoggedInUser,
  LoginChoice,
  LoginField,
  LoginProvider,
  LoginReply,
  LoginStep,
  LoginTransaction,
} from "./login-provider.js";
export { hashPassword, PasswordLogin, type PasswordUser } from "./password-login.js";
export type { ServedResource } from "./resource-directory.js";
export { auth0, github, google, keycloak, microsoftEntra } from "./upstream/provider-presets.js";
export { type UpstreamLoginOptions, type UpstreamSettings, upstreamLogin } from "./upstream/upstream-login.js";
export type {
  OAuth2Provider,
  OpenIdProvider,
  ScopedEndpoint,
  UpstreamClient,
  UpstreamProvider,
} from "./upstream/upstream-provider.js";
export { type AllowRule, emailDomains, memberOf, type UpstreamUser } from "./upstream/upstream-user.js";
