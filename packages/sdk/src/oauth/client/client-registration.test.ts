import { expect, it } from "vitest";
import { ClientRegistration, type ClientRegistrationOptions } from "./client-registration.js";
import { InMemoryCredentialStore } from "./credential-store.js";
import type { DiscoveredServer } from "./server-discovery.js";

const ISSUER = "https://login.example.com";
const call = {
  fetch: async () => Response.json({ client_id: "new" }, { status: 200 }),
  scopes: ["read"],
  signal: new AbortController().signal,
};

function registration(options: Partial<ClientRegistrationOptions> = {}): ClientRegistration {
  const usual = {
    store: new InMemoryCredentialStore(),
    identity: "test",
    now: () => 0,
    redirectUri: "http://localhost:1/cb",
  };
  return new ClientRegistration({ ...usual, ...options });
}

function server(fields: Partial<DiscoveredServer["metadata"]> = {}): DiscoveredServer {
  const metadata = { issuer: ISSUER, registration_endpoint: `${ISSUER}/register`, ...fields };
  return { issuer: ISSUER, metadata, isDescribed: true };
}

it.each(["http://app.example.com/client.json", "https://app.example.com/", "https://app.example.com/a#b", "client"])(
  "refuses %s as the URL of a metadata document",
  (clientMetadataUrl) => {
    expect(() => registration({ clientMetadataUrl })).toThrow(
      expect.objectContaining({ code: "invalid-argument", message: expect.stringContaining(clientMetadataUrl) }),
    );
  },
);

it("says which options are left where a server registers nobody", async () => {
  const silent = { registration_endpoint: undefined };
  const plain = registration().obtain(server(silent as object), call);
  await expect(plain).rejects.toThrow("pass `client` with the client id that its operator gave you");
  const documents = server({ ...(silent as object), client_id_metadata_document_supported: true });
  await expect(registration().obtain(documents, call)).rejects.toThrow("or `clientMetadataUrl`");
});

it("registers anew for another redirect URI and after damage to the store, and not otherwise", async () => {
  const store = new InMemoryCredentialStore();
  let registered = 0;
  const counting = { ...call, fetch: async () => Response.json({ client_id: `client-${++registered}` }) };
  const first = registration({ store });
  expect(await first.obtain(server(), counting)).toMatchObject({ clientId: "client-1" });
  expect(await first.obtain(server(), counting)).toMatchObject({ clientId: "client-1" });
  const other = registration({ store, redirectUri: "http://localhost:2/cb" });
  expect(await other.known(server())).toMatchObject({ clientId: "client-1" });
  expect(await other.obtain(server(), counting)).toMatchObject({ clientId: "client-2" });
  for (const damage of ["{", "[]", "{}"]) {
    await store.set(JSON.stringify(["client", ISSUER, "test"]), damage);
    expect(await other.known(server())).toBeUndefined();
  }
});

it("names the scopes of the login, and asks for no authentication where the server lists none", async () => {
  const bodies: unknown[] = [];
  const fetch = async (_url: string | URL, init: { body?: unknown } = {}) => {
    bodies.push(JSON.parse(String(init.body)));
    return Response.json({ client_id: "new" }, { status: 201 });
  };
  await registration().obtain(server(), { ...call, fetch });
  await registration().obtain(server(), { ...call, fetch, scopes: [] });
  expect(bodies).toMatchObject([{ scope: "read", token_endpoint_auth_method: "none", client_name: "MCP client" }, {}]);
  expect(bodies[1]).not.toHaveProperty("scope");
});

it("registers anew for scopes that the server does not permit the client, and not where it names none", async () => {
  const scopes: (string | undefined)[] = [];
  const fetch = async (_url: string | URL, init: { body?: unknown } = {}) => {
    const { scope } = JSON.parse(String(init.body));
    scopes.push(scope);
    return Response.json({ client_id: `client-${scopes.length}`, ...(scope.includes("read") && { scope }) });
  };
  const clients = registration();
  const clientFor = async (...asked: string[]) =>
    (await clients.obtain(server(), { ...call, fetch, scopes: asked })).clientId;
  expect(await clientFor("read")).toBe("client-1");
  expect(await clientFor("read", "write")).toBe("client-2");
  expect(await clientFor("write")).toBe("client-2");
  expect(await clientFor("other")).toBe("client-3");
  expect(await clientFor("anything")).toBe("client-3");
  expect(scopes).toEqual(["read", "read write", "other"]);
});

it("fails with the error of the network", async () => {
  const fetch = () => Promise.reject(new Error("no route"));
  const failing = registration().obtain(server(), { ...call, fetch });
  await expect(failing).rejects.toThrow(`${ISSUER} did not register this client: no route`);
});

it("binds credentials of an operator to the first issuer, in a store that takes JSON alone", async () => {
  const store = new InMemoryCredentialStore();
  const values: unknown[] = [];
  const set = (key: string, value: string) => {
    values.push(JSON.parse(value));
    return store.set(key, value);
  };
  const strict = {
    set,
    get: store.get.bind(store),
    delete: store.delete.bind(store),
    withLock: store.withLock.bind(store),
  };
  const options = { store: strict, client: { clientId: "given" } };
  expect(await registration(options).chooseIssuer([ISSUER])).toBe(ISSUER);
  expect(values).toEqual([{ issuer: ISSUER }]);
  expect(await registration(options).chooseIssuer(["https://b.example.com", ISSUER])).toBe(ISSUER);
  await expect(registration(options).chooseIssuer(["https://b.example.com"])).rejects.toThrow(
    `registered with ${ISSUER}`,
  );
});

it("binds credentials of an operator to one issuer, although two servers are called at once", async () => {
  const options = { store: new InMemoryCredentialStore(), client: { clientId: "given" } };
  const choices = [ISSUER, "https://b.example.com"].map((issuer) => registration(options).chooseIssuer([issuer]));
  expect((await Promise.allSettled(choices)).map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
});

it("takes the first issuer without credentials of an operator", async () => {
  expect(await registration().chooseIssuer([ISSUER, "https://b.example.com"])).toBe(ISSUER);
});

it("says how to spell an issuer with a slash too many, and asks for other credentials for another one", async () => {
  const choose = (issuer: string) => registration({ client: { clientId: "id", issuer } }).chooseIssuer([ISSUER]);
  await expect(choose(`${ISSUER}/`)).rejects.toThrow(`write \`issuer\` of the client exactly as "${ISSUER}"`);
  await expect(choose("https://other.example")).rejects.toThrow("that this authorization server knows");
});
