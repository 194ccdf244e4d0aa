export { OAuthError } from "../grammar/oauth-error.js";
export { FileAuthorizationStore, type FileAuthorizationStoreOptions } from "./file-authorization-store.js";
export { FileStore, type FileStoreOptions } from "./file-store.js";
export { type LoopbackRedirect, type LoopbackRedirectOptions, loopbackRedirect } from "./loopback-redirect.js";
