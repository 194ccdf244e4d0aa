export { OAuthError } from "../../errors/oauth-error.js";
export type {
  LoggedInUser,
  LoginField,
  LoginProvider,
  LoginReply,
  LoginStep,
  LoginTransaction,
} from "./login-provider.js";
