export { OAuthError } from "../../errors/oauth-error.js";
export type { VerifiedAccessToken } from "./access-tokens.js";
export {
  type AuthorizationServer,
  type AuthorizationServerOptions,
  authorizationServer,
} from "./authorization-server.js";
export type { AuthorizationStore, Stored, StoreTable, StoreTables } from "./authorization-store.js";
export type { TrustedIssuer } from "./identity-assertion-grant.js";
export type {
  LoggedInUser,
  LoginField,
  LoginProvider,
  LoginReply,
  LoginStep,
  LoginTransaction,
} from "./login-provider.js";
export { MemoryAuthorizationStore, type MemoryAuthorizationStoreOptions } from "./memory-authorization-store.js";
export { hashPassword, PasswordLogin, type PasswordUser } from "./password-login.js";
export type { ConfiguredClient, GrantType } from "./registered-client.js";
export type { ServedResource } from "./resource-directory.js";
