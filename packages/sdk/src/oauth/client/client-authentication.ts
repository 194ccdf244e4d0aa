/** Authenticates the client at the token endpoint: by a secret, by a signed assertion, or not at all. */
import { type ClientAuth, ClientSecretPost, None, PrivateKeyJwt } from "oauth4webapi";
import { checkText } from "../../errors/option-checks.js";
import { checkOptions, type OptionTable } from "../../errors/option-table.js";
import { SdkError } from "../../errors/sdk-error.js";
import { basicAuthentication } from "../grammar/basic-authentication.js";
import type { ClientAuthMethod } from "../grammar/metadata.js";
import { type ClientKey, checkClientKey, importClientKey } from "./client-key.js";

/** Credentials that the operator of an authorization server issued to this client. */
export interface RegisteredClient {
  readonly clientId: string;
  /** Secret of a confidential client. @defaultValue none: the client is public, or has a key */
  readonly clientSecret?: string | undefined;
  /** Signs assertions for `private_key_jwt`, instead of a secret. @defaultValue none */
  readonly privateKey?: ClientKey | undefined;
  /** Returns an assertion that was signed elsewhere, for `private_key_jwt`. The client sends it unchanged. @defaultValue none */
  readonly assertion?: ((audience: string) => string | Promise<string>) | undefined;
  /**
   * Issuer of the authorization server that issued the credentials. The client sends them to no other server.
   * @defaultValue the first issuer that the server names
   */
  readonly issuer?: string | undefined;
  /** How the client authenticates. @defaultValue by the credentials and what the authorization server supports */
  readonly authMethod?: ClientAuthMethod | undefined;
}

const CLIENT_OPTIONS: OptionTable<RegisteredClient> = {
  ...{
    clientId: true,
    clientSecret: true,
    privateKey: true,
    assertion: "function",
    issuer: "string",
    authMethod: "string",
  },
};

const ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/** @throws {SdkError} `authorization-failed` if the client lacks the secret or the key that the method needs. */
export async function clientAuthentication(
  client: RegisteredClient,
  supported: readonly string[] | undefined,
): Promise<ClientAuth> {
  const method = client.authMethod ?? chooseMethod(client, supported);
  const { clientId, clientSecret, privateKey, assertion } = client;
  if (method === "none") return None();
  if (method === "client_secret_basic" && clientSecret !== undefined) return basicAuthentication(clientSecret);
  if (method === "client_secret_post" && clientSecret !== undefined) return ClientSecretPost(clientSecret);
  if (method === "private_key_jwt" && assertion) return preparedAssertion(assertion);
  if (method === "private_key_jwt" && privateKey) return PrivateKeyJwt(await importClientKey(privateKey));
  const message = `The client ${clientId} is to authenticate by ${method} and lacks what that needs`;
  throw new SdkError("authorization-failed", message);
}

/** RFC 8414: an authorization server that lists no methods supports `client_secret_basic`. */
function chooseMethod(
  client: RegisteredClient,
  supported: readonly string[] = ["client_secret_basic"],
): ClientAuthMethod {
  if (client.privateKey || client.assertion) return "private_key_jwt";
  if (client.clientSecret === undefined) return "none";
  if (!supported.includes("client_secret_basic") && supported.includes("client_secret_post"))
    return "client_secret_post";
  return "client_secret_basic";
}

function preparedAssertion(assertion: NonNullable<RegisteredClient["assertion"]>): ClientAuth {
  return async (server, client, body) => {
    body.set("client_id", client.client_id);
    body.set("client_assertion_type", ASSERTION_TYPE);
    body.set("client_assertion", await assertion(server.issuer));
  };
}

/**
 * Checks the credentials that an author passed as the option `name`.
 * @throws {SdkError} `invalid-argument` that says what to write
 */
export function checkRegisteredClient(name: string, client: RegisteredClient): void {
  if (typeof client !== "object" || client === null) {
    throw new SdkError("invalid-argument", `${name}: write ${name}: { clientId, clientSecret }, got ${typeof client}`);
  }
  checkOptions(name, client, CLIENT_OPTIONS);
  checkText(`${name}.clientId`, client.clientId);
  if (client.clientSecret !== undefined) checkText(`${name}.clientSecret`, client.clientSecret);
  if (client.privateKey !== undefined) checkClientKey(client.privateKey);
}
