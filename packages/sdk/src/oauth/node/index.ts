export { OAuthError } from "../grammar/oauth-error.js";
export { FileAuthorizationStore, type FileAuthorizationStoreOptions } from "./file-authorization-store.js";
export { FileCredentialStore, type FileStoreOptions } from "./file-credential-store.js";
export { type LoopbackRedirect, type LoopbackRedirectOptions, loopbackRedirect } from "./loopback-redirect.js";
