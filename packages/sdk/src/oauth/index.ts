export type { Fetch, FetchInit } from "../transport/http/fetch-http.js";
export type { HttpAuthorization } from "../transport/http/http-client-options.js";
export type { AssertionRequest, AssertionSource } from "./client/assertion-grant.js";
export { type AuthorizationNeeds, AuthorizationRequiredError } from "./client/authorization-required-error.js";
export type { RegisteredClient } from "./client/client-authentication.js";
export type { ClientKey, ExportableKey } from "./client/client-key.js";
export { type CredentialStore, InMemoryCredentialStore, type MemoryStoreOptions } from "./client/credential-store.js";
export type { IdentityProviderOptions } from "./client/identity-provider.js";
export {
  type AuthorizationOptions,
  type ClientCredentialsOptions,
  clientCredentials,
  type EnterpriseOptions,
  enterpriseAuthorization,
  type OAuthOptions,
  oauth,
  type WorkloadOptions,
  workloadIdentity,
} from "./client/oauth.js";
export { OAuthAuthorization } from "./client/oauth-authorization.js";
export { type OAuthFetchOptions, oauthFetch } from "./client/oauth-fetch.js";
export type { RedirectReceiver } from "./client/redirect-receiver.js";
export type { LogOutResult } from "./client/resource-session.js";
export type { AllowPrivate } from "./grammar/guarded-fetch.js";
export type { ClientAuthMethod, ClientMetadata } from "./grammar/metadata.js";
export { OAuthError } from "./grammar/oauth-error.js";
