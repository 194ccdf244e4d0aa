import { clientCredentials, InMemoryCredentialStore, OAuthError } from "parley-mcp/oauth";
import { expect } from "vitest";
import {
  ISSUER,
  REDIRECT_URI,
  rejection,
  ScriptedAuthorizationServer,
} from "../../src/oauth/scripted-authorization-server.js";
import { verifies } from "../../src/verifies.js";

const SECOND = "https://second.example.com";

/** Two authorization servers of one resource, which moves from the first to the second. */
function moving(): { first: ScriptedAuthorizationServer; second: ScriptedAuthorizationServer; move(): void } {
  const first = new ScriptedAuthorizationServer();
  const second = new ScriptedAuthorizationServer(SECOND);
  const fields = { issuer: SECOND, authorization_endpoint: `${SECOND}/authorize`, token_endpoint: `${SECOND}/token` };
  first.answers.set(`GET ${SECOND}/.well-known/oauth-authorization-server`, (request) =>
    second.fetch(request.url, { method: "GET", headers: {}, redirect: "manual", signal: AbortSignal.timeout(1_000) }),
  );
  second.describe(fields);
  first.answers.set(`POST ${SECOND}/register`, () => first.register({ client_id: "second-client" }));
  first.answers.set(`POST ${SECOND}/token`, (request) => first.token(request));
  const move = () => {
    first.describeResource({ authorization_servers: [SECOND] });
    first.respond = (url, code) => ({ code, state: url.searchParams.get("state") ?? "", iss: SECOND });
    first.revokeAll();
  };
  return { first, second, move };
}

verifies(
  "client-auth:pre-registration",
  "credentials of the operator are used, and nothing is registered",
  async () => {
    const server = new ScriptedAuthorizationServer();
    const client = { clientId: "given-client", clientSecret: "s3cret", issuer: ISSUER };
    await (await server.connect(server.oauth({ client }))).close();

    expect(server.to("/register")).toEqual([]);
    expect(server.logins[0]?.searchParams.get("client_id")).toBe("given-client");
    expect(server.to("/token")[0]?.headers.get("authorization")).toBe(`Basic ${btoa("given-client:s3cret")}`);
  },
);

verifies(
  "client-auth:cimd",
  "a metadata URL is the client id where the server supports that, and the client registers elsewhere",
  async () => {
    const clientMetadataUrl = "https://app.example.com/client.json";
    const supporting = new ScriptedAuthorizationServer();
    supporting.describe({ client_id_metadata_document_supported: true });
    await (await supporting.connect(supporting.oauth({ clientMetadataUrl }))).close();
    const plain = new ScriptedAuthorizationServer();
    await (await plain.connect(plain.oauth({ clientMetadataUrl }))).close();

    expect(supporting.logins[0]?.searchParams.get("client_id")).toBe(clientMetadataUrl);
    expect(supporting.to("/register")).toEqual([]);
    expect(plain.to("/register")).toHaveLength(1);
    expect(plain.logins[0]?.searchParams.get("client_id")).toBe("client-1");
  },
);

verifies(
  ["client-auth:dcr", "client-auth:dcr:grant-types-default"],
  "a client without an id registers its redirect URI and both grants, once for as many logins as it takes",
  async () => {
    const server = new ScriptedAuthorizationServer();
    const store = new InMemoryCredentialStore();
    const authorization = server.oauth({ store });
    const client = await server.connect(authorization);
    await authorization.logOut("https://mcp.example.com/mcp");
    await client.callTool("add");
    await client.close();

    expect(server.to("/register").map(({ body }) => JSON.parse(body))).toEqual([
      expect.objectContaining({
        client_name: "Test client",
        redirect_uris: [REDIRECT_URI],
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
      }),
    ]);
    expect(server.logins.map((url) => url.searchParams.get("client_id"))).toEqual(["client-1", "client-1"]);
  },
);

verifies(
  "client-auth:dcr:app-type-heuristic",
  "a loopback redirect registers a native application, and an https one a web application",
  async () => {
    const types: unknown[] = [];
    for (const redirectUri of [REDIRECT_URI, "http://localhost:1/cb", "https://app.example.com/callback"]) {
      const server = new ScriptedAuthorizationServer();
      await (await server.connect(server.oauth({ redirect: { ...server.redirect, redirectUri } }))).close();
      types.push(JSON.parse(server.to("/register")[0]?.body ?? "{}").application_type);
    }

    expect(types).toEqual(["native", "native", "web"]);
  },
);

verifies(
  "client-auth:dcr:app-type-override",
  "metadata of the application replaces what the client would register",
  async () => {
    const server = new ScriptedAuthorizationServer();
    const clientMetadata = {
      application_type: "web",
      client_uri: "https://app.example.com",
      grant_types: ["authorization_code"],
    };
    await (await server.connect(server.oauth({ clientMetadata }))).close();

    expect(JSON.parse(server.to("/register")[0]?.body ?? "{}")).toMatchObject(clientMetadata);
  },
);

verifies(
  "client-auth:dcr:registration-rejected-error",
  "a refused registration rejects with the server's status, code and description",
  async () => {
    const server = new ScriptedAuthorizationServer();
    server.answers.set(`POST ${ISSUER}/register`, () =>
      Response.json({ error: "invalid_redirect_uri", error_description: "No loopback" }, { status: 400 }),
    );
    const error = await rejection(server.connect());
    const down = new ScriptedAuthorizationServer();
    down.answers.set(`POST ${ISSUER}/register`, () => new Response("<h1>Forbidden</h1>", { status: 403 }));
    const other = await rejection(down.connect());

    expect(error).toMatchObject({ code: "authorization-failed", status: 400 });
    expect(error.message).toContain("invalid_redirect_uri: No loopback");
    expect(error.cause).toBeInstanceOf(OAuthError);
    expect(error.cause).toMatchObject({ code: "invalid_redirect_uri", description: "No loopback", status: 400 });
    expect(other).toMatchObject({ code: "authorization-failed", status: 403 });
    expect(server.logins).toEqual([]);
  },
);

verifies(
  "client-auth:dcr:substituted-metadata",
  "another name or scope in the registration is tolerated; a missing redirect URI or secret is not",
  async () => {
    const tolerated = new ScriptedAuthorizationServer();
    const substitute = { client_name: "Other", scope: "few", token_endpoint_auth_method: "client_secret_post" };
    tolerated.answers.set(`POST ${ISSUER}/register`, () =>
      tolerated.register({
        ...substitute,
        client_secret: "substituted",
        redirect_uris: [REDIRECT_URI, "https://b.example"],
      }),
    );
    await (await tolerated.connect()).close();

    expect(tolerated.to("/token")[0]?.form.get("client_secret")).toBe("substituted");
    for (const fields of [
      { redirect_uris: ["https://else.example.com/"] },
      { token_endpoint_auth_method: "client_secret_basic" },
      { token_endpoint_auth_method: "tls_client_auth" },
      { client_id: 7 },
    ]) {
      const server = new ScriptedAuthorizationServer();
      server.answers.set(`POST ${ISSUER}/register`, () => server.register(fields));
      const error = await rejection(server.connect());
      expect(error.code).toBe("authorization-failed");
      expect(error.message).toContain("cannot");
      expect(server.logins).toEqual([]);
    }
  },
);

verifies("client-auth:dcr:secret-expiry", "a client whose secret has expired registers anew", async () => {
  const server = new ScriptedAuthorizationServer();
  server.answers.set(`POST ${ISSUER}/register`, () =>
    server.register({
      client_secret: "s",
      client_secret_expires_at: 100,
      token_endpoint_auth_method: "client_secret_basic",
    }),
  );
  let now = 0;
  const authorization = server.oauth({ now: () => now });
  const client = await server.connect(authorization);
  now = 101_000;
  await authorization.logOut("https://mcp.example.com/mcp");
  await client.callTool("add");
  await client.close();

  expect(server.to("/register")).toHaveLength(2);
  const ids = server.logins.map((url) => url.searchParams.get("client_id"));
  expect(new Set(ids).size).toBe(2);
});

verifies("client-auth:dcr:more-scopes", "a step-up beyond the registered scopes registers another client", async () => {
  const server = new ScriptedAuthorizationServer();
  server.describeResource({ scopes_supported: ["read"] });
  server.answers.set(`POST ${ISSUER}/register`, ({ body }) => server.register({ scope: JSON.parse(body).scope }));
  const client = await server.connect(server.oauth());
  server.scopes.set("tools/call", "write");
  await client.callTool("add");
  await client.callTool("add");
  await client.close();

  expect(server.to("/register").map(({ body }) => JSON.parse(body).scope)).toEqual(["read", "read write"]);
  const ids = server.logins.map((url) => url.searchParams.get("client_id"));
  expect(new Set(ids).size).toBe(2);
});

verifies(
  ["client-auth:as-binding", "client-auth:as-migration:m2m-expected-issuer"],
  "credentials are not shown to an issuer that they do not belong to, named or found at first use",
  async () => {
    const foreign = new ScriptedAuthorizationServer();
    const client = { clientId: "given", clientSecret: "s3cret", issuer: "https://own.example.com" };
    const error = await rejection(foreign.connect(foreign.oauth({ client })));
    const robot = await rejection(foreign.connect(clientCredentials({ client })));
    const { first, move } = moving();
    const bound = clientCredentials({ client: { clientId: "given", clientSecret: "s3cret" } });
    const connected = await first.connect(bound);
    move();
    const moved = await rejection(connected.callTool("add"));
    await connected.close();

    for (const refused of [error, robot, moved]) {
      expect(refused.code).toBe("authorization-failed");
      expect(refused.message).toContain("is registered with");
    }
    const posts = [...foreign.requests, ...first.requests].filter(({ method }) => method === "POST");
    expect(posts.map(({ url }) => url.href)).toEqual([`${ISSUER}/token`]);
  },
);

verifies(
  ["client-auth:as-migration:reregister", "client-auth:as-migration:no-cred-reuse"],
  "a client whose server has moved registers at the new issuer, which sees neither the old client id nor an old token",
  async () => {
    const { first, move } = moving();
    const client = await first.connect();
    move();
    await client.callTool("add");
    await client.close();

    const toSecond = first.requests.filter(({ url }) => url.origin === SECOND);
    expect(toSecond.map(({ url }) => url.pathname)).toEqual([
      "/.well-known/oauth-authorization-server",
      "/register",
      "/token",
    ]);
    expect(toSecond.at(-1)?.form.get("client_id")).toBe("second-client");
    const shown = [
      ...toSecond.map(({ body, headers }) => body + JSON.stringify([...headers])),
      String(first.logins[1]),
    ];
    expect(shown.join(" ")).not.toMatch(/client-1|refresh-|access-/);
  },
);

verifies(
  "client-auth:as-migration:cimd-portable",
  "a client id that is a URL goes to the new server without a registration",
  async () => {
    const { first, second, move } = moving();
    first.describe({ client_id_metadata_document_supported: true });
    second.describe({ client_id_metadata_document_supported: true });
    const clientMetadataUrl = "https://app.example.com/client.json";
    const client = await first.connect(first.oauth({ clientMetadataUrl }));
    move();
    await client.callTool("add");
    await client.close();

    expect(first.logins.map((url) => [url.origin, url.searchParams.get("client_id")])).toEqual([
      [ISSUER, clientMetadataUrl],
      [SECOND, clientMetadataUrl],
    ]);
  },
);
