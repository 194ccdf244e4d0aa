import { generateKeyPairSync } from "node:crypto";
import { Client } from "parley-mcp/client";
import { clientCredentials, oauth } from "parley-mcp/oauth";
import { FileCredentialStore, loopbackRedirect } from "parley-mcp/oauth/node";
import { expect } from "vitest";
import { ScriptedAuthorizationServer } from "../../src/oauth/scripted-authorization-server.js";
import { verifies } from "../../src/verifies.js";

const CLIENT = { clientId: "job", clientSecret: "a secret of the job" };

/** Calls that a type checker would refuse. */
function mistaken(call: (...options: never[]) => unknown, options: unknown): () => unknown {
  return () => (call as (given: unknown) => unknown)(options);
}

verifies(
  "client-auth:mistakes",
  "wrong options of a login, as plain JavaScript allows them, are refused with what to write",
  async () => {
    const redirect = loopbackRedirect({ open: () => {} });
    const mistakes: [() => unknown, string][] = [
      [mistaken(oauth, { scope: "read" }), 'oauth: there is no option "scope"; did you mean "scopes"?'],
      [mistaken(oauth, { redirect }), "redirect: expected a receiver; write `await loopbackRedirect({ open })`"],
      [mistaken(clientCredentials, CLIENT), "client: write client: { clientId, clientSecret }"],
      [mistaken(clientCredentials, { client: { ...CLIENT, clientId: undefined } }), "client.clientId: got undefined"],
      [mistaken(clientCredentials, { client: { ...CLIENT, clientSecret: "" } }), "is its environment variable set?"],
      [
        mistaken((folder) => new FileCredentialStore(folder), "./x"),
        'folder: write new FileCredentialStore({ folder: "./credentials" })',
      ],
    ];
    for (const [make, message] of mistakes) {
      expect(make).toThrow(
        expect.objectContaining({ code: "invalid-argument", message: expect.stringContaining(message) }),
      );
    }
    await (await redirect).close();
    await expect(mistaken(loopbackRedirect, {})()).rejects.toThrow("open: write loopbackRedirect({ open:");
  },
);

verifies(
  "client-auth:private-key-kind",
  "a private key of the wrong kind is refused with what was expected, before any token request",
  async () => {
    const rsa = generateKeyPairSync("rsa", { modulusLength: 2_048 });
    const keys: [unknown, string][] = [
      [rsa.privateKey, "RS256"],
      [rsa.privateKey.export({ format: "jwk" }), "an RSA key"],
      [rsa.publicKey, "expected a private key"],
      ["./key.pem", "not its name"],
    ];
    for (const [key, message] of keys) {
      const server = new ScriptedAuthorizationServer();
      const connect = async () => {
        const authorization = clientCredentials({ client: { clientId: "job", privateKey: { key: key as string } } });
        const target = { url: "https://mcp.example.com/mcp", authorization, fetch: server.fetch };
        return Client.connect(target, { name: "job", version: "1.0.0" });
      };
      await expect(connect()).rejects.toThrow(message);
    }
  },
);
