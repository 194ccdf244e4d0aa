/** `parley-mcp/oauth/resource`: an MCP server that needs access tokens. */

export type { AuthInfo } from "../../transport/auth-info.js";
export type { ProtectedResourceMetadata } from "../grammar/metadata.js";
export { OAuthError } from "../grammar/oauth-error.js";
export { type IntrospectionVerifierOptions, introspectionVerifier } from "./introspection-verifier.js";
export { type JwtVerifierOptions, jwtVerifier } from "./jwt-verifier.js";
export { type ProtectedResource, protectedResource } from "./protected-resource.js";
export type { DpopOptions, ProtectedResourceOptions } from "./protected-resource-options.js";
export { TokenRejection, type TokenRejectionReason } from "./token-rejection.js";
export type { TokenFacts, TokenVerifier, VerifyToken } from "./token-verifier.js";
