export { OAuthError } from "../../errors/oauth-error.js";
