import { expect, it } from "vitest";
import { clientCredentials, enterpriseAuthorization, oauth, workloadIdentity } from "./oauth.js";

it("refuses a redirect URI that a browser must not be sent to", () => {
  const receive = async () => new URLSearchParams();
  for (const redirectUri of ["javascript:alert(1)", "http://app.example.com/cb", "nowhere"]) {
    expect(() => oauth({ redirect: { redirectUri, receive } })).toThrow(
      expect.objectContaining({ code: "invalid-argument", message: expect.stringContaining("redirect.redirectUri") }),
    );
  }
});

it("refuses a program without credentials", () => {
  expect(() => clientCredentials({ client: { clientId: "id" } })).toThrow(
    expect.objectContaining({ code: "invalid-argument", message: expect.stringContaining("clientSecret") }),
  );
});

const invalid = (text: string) =>
  expect.objectContaining({ code: "invalid-argument", message: expect.stringContaining(text) });
const client = { clientId: "id", clientSecret: "secret" };

it.each([
  [
    "credentials beside the client",
    () => clientCredentials(client as never),
    "client: write client: { clientId, clientSecret }",
  ],
  ["no options", () => clientCredentials(undefined as never), "client: write client: { clientId, clientSecret }"],
  [
    "no client id",
    () => clientCredentials({ client: { ...client, clientId: undefined as never } }),
    "client.clientId: got",
  ],
  ["an empty secret", () => clientCredentials({ client: { ...client, clientSecret: "" } }), "client.clientSecret: got"],
  ["a missing secret", () => oauth({ client: { ...client, clientSecret: "undefined" } }), "client.clientSecret: got"],
  [
    "a secret of another name",
    () => oauth({ client: { clientId: "id", client_secret: "secret" } as never }),
    'client: there is no option "client_secret"; did you mean "clientSecret"?',
  ],
  [
    "a registration beside its client",
    () => oauth({ client: { ...client, redirectUri: "http://127.0.0.1/cb" } as never }),
    'client: there is no option "redirectUri"',
  ],
  ["a file name as key", () => oauth({ client: { clientId: "id", privateKey: { key: "./key.pem" } } }), "not its name"],
  ["an option of another name", () => oauth({ scope: "read" } as never), 'oauth: there is no option "scope"'],
  ["another option", () => clientCredentials({ client, scope: "read" } as never), 'there is no option "scope"'],
  ["a misspelled step-up", () => oauth({ stepUp: "trow" as never }), 'stepUp: expected "login" or "throw"'],
  ["DPoP as a text", () => oauth({ dpop: "true" as never }), 'dpop: expected true, false or "auto"'],
  [
    "a host that is no list",
    () => oauth({ allowPrivate: "login.corp.example" as never }),
    "allowPrivate: expected true",
  ],
  [
    "a list of something else",
    () => oauth({ allowPrivate: [7] as never }),
    "allowPrivate: expected true, false or a list",
  ],
  ["a receiver that nobody awaited", () => oauth({ redirect: Promise.resolve() as never }), "await loopbackRedirect("],
  ["a workload without client", () => workloadIdentity({ assertion: () => "a" } as never), "client: write client:"],
  [
    "an identity provider without client",
    () => enterpriseAuthorization({ client, identityProvider: { issuer: "https://sso.example.com" } as never }),
    "identityProvider.client: write identityProvider.client:",
  ],
  [
    "an option that an enterprise has not",
    () => enterpriseAuthorization({ client, identityProvider: async () => "a", scope: "read" } as never),
    'enterpriseAuthorization: there is no option "scope"',
  ],
  [
    "an identity token of another name",
    () => enterpriseAuthorization({ client, identityProvider: { issuer: "i", client, idToken: "t" } as never }),
    'identityProvider: there is no option "idToken"',
  ],
])("says what to write for %s", (_name, make, complaint) => {
  expect(make).toThrow(invalid(complaint));
});

it("refuses a store that was not awaited, and one without the methods of a store", () => {
  const opening = Promise.resolve(new Map());
  expect(() => oauth({ store: opening as never })).toThrow(
    invalid("store: expected a CredentialStore, got a promise; await it"),
  );
  expect(() => clientCredentials({ client, store: new Map() as never })).toThrow(
    invalid("store: expected a CredentialStore, got an object without the method withLock"),
  );
});
