/**
 * A server whose users log in with GitHub. Register an OAuth application there, with the callback URL that this program prints,
 * and set `GITHUB_CLIENT_ID` and `GITHUB_CLIENT_SECRET`. With `GITHUB_ORGANIZATION`, members alone may come in.
 */
import { memberOf } from "parley-mcp/oauth/server";
import { startRepositoriesServer } from "./upstream-login/repositories-server.js";

const {
  GITHUB_CLIENT_ID: clientId,
  GITHUB_CLIENT_SECRET: clientSecret,
  GITHUB_ORGANIZATION,
  PORT = "3000",
} = process.env;

if (clientId === undefined || clientSecret === undefined) {
  console.error("Set GITHUB_CLIENT_ID and GITHUB_CLIENT_SECRET to those of your OAuth application at GitHub.");
  process.exitCode = 1;
} else {
  const { url, callbackUrl, close } = await startRepositoriesServer({
    port: Number(PORT),
    clientId,
    clientSecret,
    ...(GITHUB_ORGANIZATION !== undefined && { allow: memberOf(GITHUB_ORGANIZATION) }),
  });
  console.log(`listening at ${url}`);
  console.log(`callback URL for GitHub: ${callbackUrl}`);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, close);
}
