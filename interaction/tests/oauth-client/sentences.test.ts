import { Client, HttpTransport } from "parley-mcp/client";
import { enterpriseAuthorization, type Fetch, InMemoryCredentialStore, oauth } from "parley-mcp/oauth";
import { McpServer } from "parley-mcp/server";
import { telemetry } from "parley-mcp/telemetry";
import { recordTransport } from "parley-mcp/testing";
import { createFetchHandler } from "parley-mcp/web";
import { expect } from "vitest";
import {
  ISSUER,
  REDIRECT_URI,
  RESOURCE,
  rejection,
  ScriptedAuthorizationServer,
  type SeenRequest,
} from "../../src/oauth/scripted-authorization-server.js";
import { recordTelemetry } from "../../src/recorded-telemetry.js";
import { verifies } from "../../src/verifies.js";

const RESOURCE_METADATA = "https://mcp.example.com/.well-known/oauth-protected-resource";
const SERVER_METADATA = `${ISSUER}/.well-known/oauth-authorization-server`;

verifies(
  "client-auth:challenge-parsing",
  "metadata and scopes are read from the Bearer challenge, wherever and however it is written",
  async () => {
    const where = `${RESOURCE_METADATA}/mcp`;
    const challenges = [
      `Basic realm="a, Bearer resource_metadata=\\"https://wrong.example\\"", Bearer resource_metadata="${where}", scope="read"`,
      `bearer scope=read, realm="x", RESOURCE_METADATA="${where}"`,
      `Negotiate dG9rZW4=, BEARER scope="read" , resource_metadata = "${where}"`,
    ];
    for (const challenge of challenges) {
      const server = new ScriptedAuthorizationServer();
      server.challenge = challenge;
      await (await server.connect()).close();

      expect(server.requests[0]?.url.href).toBe(where);
      expect(server.logins.map((url) => url.searchParams.get("scope"))).toEqual(["read"]);
    }
  },
);

verifies(
  "client-auth:resource-parameter:canonical",
  "a server without metadata is named by its URL, as the specification spells it",
  async () => {
    for (const [url, expected] of [
      ["HTTPS://MCP.Example.com", "https://mcp.example.com"],
      ["https://mcp.example.com:443/#tools", "https://mcp.example.com"],
      ["https://mcp.example.com/server/mcp", "https://mcp.example.com/server/mcp"],
    ] as const) {
      const server = new ScriptedAuthorizationServer("https://mcp.example.com");
      server.answers.delete(`GET ${RESOURCE_METADATA}/mcp`);
      const path = new URL(url).pathname;
      server.answers.set(`POST https://mcp.example.com${path}`, (request: SeenRequest) =>
        request.headers.has("authorization")
          ? new Response(null, { status: 410 })
          : new Response(null, { status: 401 }),
      );
      const target = { url, authorization: server.oauth(), fetch: server.fetch };
      await rejection(Client.connect(target, { name: "c", version: "1" }));

      expect(server.logins.map((login) => login.searchParams.getAll("resource"))).toEqual([[expected]]);
      expect(server.to("/token").map(({ form }) => form.getAll("resource"))).toEqual([[expected]]);
    }
  },
);

verifies(
  "client-auth:resource-spelling",
  "capitals in the scheme and the host of the metadata are no other resource, and a capital in the path is",
  async () => {
    const shouting = new ScriptedAuthorizationServer();
    shouting.describeResource({ resource: "HTTPS://MCP.EXAMPLE.COM/mcp" });
    await (await shouting.connect()).close();
    const other = new ScriptedAuthorizationServer();
    other.describeResource({ resource: "https://mcp.example.com/MCP" });
    const error = await rejection(other.connect());

    expect(shouting.logins).toHaveLength(1);
    expect(error.code).toBe("authorization-failed");
    expect(other.logins).toEqual([]);
  },
);

verifies(
  "client-auth:pkce:openid",
  "OpenID Connect metadata without the challenge methods ends the login before a registration",
  async () => {
    for (const code_challenge_methods_supported of [undefined, [], ["plain"]]) {
      const server = new ScriptedAuthorizationServer();
      server.answers.delete(`GET ${SERVER_METADATA}`);
      server.describe({ code_challenge_methods_supported }, "/.well-known/openid-configuration");
      const error = await rejection(server.connect());

      expect(error.code).toBe("authorization-failed");
      expect(error.message).toContain("code_challenge_methods_supported");
      expect([server.to("/register").length, server.logins.length]).toEqual([0, 0]);
    }
  },
);

verifies(
  "client-auth:iss:percent-encoding",
  "an encoded tilde in the place of a plain one gets no token, and none of the response's error is shown",
  async () => {
    const issuer = `${ISSUER}/~tenant`;
    const connecting = (fields: Record<string, string>) => {
      const server = new ScriptedAuthorizationServer();
      server.describeResource({ authorization_servers: [issuer] });
      server.describe({ issuer }, "/.well-known/oauth-authorization-server/~tenant");
      server.respond = (url) => ({ state: url.searchParams.get("state") ?? "", ...fields });
      return { server, connecting: server.connect() };
    };
    const encoded = connecting({ code: "code-1", iss: `${ISSUER}/%7Etenant` });
    const refused = await rejection(encoded.connecting);
    const told = { error: "boom_code", error_description: "call 555", error_uri: "https://evil.example/help" };
    const failing = connecting({ iss: `${ISSUER}/%7Etenant`, ...told });
    const hidden = await rejection(failing.connecting);
    const exact = connecting({ code: "code-1", iss: issuer });
    await (await exact.connecting).close();

    expect(refused.code).toBe("authorization-failed");
    expect(encoded.server.to("/token")).toEqual([]);
    expect(`${hidden.message} ${String(hidden.cause)}`).not.toMatch(/boom_code|call 555|evil\.example/);
    expect(exact.server.to("/token")).toHaveLength(1);
  },
);

verifies(
  "client-auth:registration-order",
  "the first of the three ways to a client id that is available is used",
  async () => {
    const clientMetadataUrl = "https://app.example.com/client.json";
    const client = { clientId: "given", clientSecret: "s3cret", issuer: ISSUER };
    const ids: (string | null | undefined)[] = [];
    for (const options of [{ client, clientMetadataUrl }, { clientMetadataUrl }, {}]) {
      const server = new ScriptedAuthorizationServer();
      server.describe({ client_id_metadata_document_supported: true });
      await (await server.connect(server.oauth(options))).close();
      ids.push(server.logins[0]?.searchParams.get("client_id"));
      expect(server.to("/register")).toHaveLength("clientMetadataUrl" in options ? 0 : 1);
    }

    expect(ids).toEqual(["given", clientMetadataUrl, "client-1"]);
  },
);

verifies(
  "client-auth:registration-impossible",
  "a server that registers nobody is an error that names the option for a client id, and nobody logs in",
  async () => {
    const closed = new ScriptedAuthorizationServer();
    closed.describe({ registration_endpoint: undefined });
    const error = await rejection(closed.connect());
    const documents = new ScriptedAuthorizationServer();
    documents.describe({ registration_endpoint: undefined, client_id_metadata_document_supported: true });
    const other = await rejection(documents.connect());

    expect(error.code).toBe("authorization-failed");
    expect(error.message).toContain("pass `client` with the client id");
    expect(error.message).not.toContain("clientMetadataUrl");
    expect(other.message).toContain("or `clientMetadataUrl`");
    expect(closed.logins).toEqual([]);
  },
);

verifies("client-auth:cimd:url", "plain HTTP, a bare host and a fragment are no client id", () => {
  for (const clientMetadataUrl of [
    "http://app.example.com/client.json",
    "https://app.example.com",
    "https://app.example.com/",
    "https://app.example.com/client.json#me",
    "client.json",
  ]) {
    expect(() => oauth({ clientMetadataUrl })).toThrow("clientMetadataUrl must be an https URL with a path");
  }
  expect(() => oauth({ clientMetadataUrl: "https://app.example.com/client.json" })).not.toThrow();
});

verifies(
  "client-auth:redirect-uri:secure",
  "plain HTTP on another host, other schemes and fragments are refused",
  () => {
    const using = (redirectUri: string) => () =>
      oauth({ redirect: { redirectUri, receive: async () => new URLSearchParams() } });
    for (const uri of [
      "http://app.example.com/callback",
      "http://localhost.example.com/callback",
      "javascript:alert(1)",
      "myapp://callback",
      "https://app.example.com/callback#here",
      "/callback",
    ]) {
      expect(using(uri)).toThrow("redirect.redirectUri: ");
    }
    for (const uri of [
      "https://app.example.com/callback",
      "http://localhost:1234/",
      "http://[::1]:80/cb",
      REDIRECT_URI,
    ]) {
      expect(using(uri)).not.toThrow();
    }
  },
);

verifies(
  "client-auth:redirect-uri:registered",
  "every login names a redirect URI that the client registered before, also after the port has changed",
  async () => {
    const server = new ScriptedAuthorizationServer();
    const store = new InMemoryCredentialStore();
    const ports = [7_777, 7_778];
    for (const port of ports) {
      const redirect = { ...server.redirect, redirectUri: `http://127.0.0.1:${port}/callback` };
      const authorization = server.oauth({ redirect, store });
      await authorization.logOut(RESOURCE);
      await (await server.connect(authorization)).close();
    }

    const registered = server.to("/register").map(({ body }) => JSON.parse(body).redirect_uris);
    expect(registered).toEqual(ports.map((port) => [`http://127.0.0.1:${port}/callback`]));
    expect(server.logins.map((url) => [url.searchParams.get("redirect_uri")])).toEqual(registered);
    expect(server.to("/token").map(({ form }) => [form.get("redirect_uri")])).toEqual(registered);
  },
);

verifies(
  "client-auth:refresh:none-issued",
  "a server that issues no refresh token is used until the token expires, and then asks for a login",
  async () => {
    const server = new ScriptedAuthorizationServer();
    server.answers.set(`POST ${ISSUER}/token`, () => server.tokens({ refresh_token: undefined }));
    let now = 0;
    const client = await server.connect(server.oauth({ now: () => now }));
    now = 3_599_000;
    await client.callTool("add");
    expect(server.logins).toHaveLength(1);
    now = 3_600_000;
    await client.callTool("add");
    await client.close();

    expect(server.logins).toHaveLength(2);
    expect(server.to("/token").map(({ form }) => form.get("grant_type"))).toEqual([
      "authorization_code",
      "authorization_code",
    ]);
  },
);

verifies(
  "client-auth:scope-selection:configured",
  "the configuration decides where the server says nothing, and adds nothing where it says something",
  async () => {
    const asked: (string | null | undefined)[] = [];
    for (const challenge of ["", ', scope="challenged"']) {
      const server = new ScriptedAuthorizationServer();
      server.challenge += challenge;
      await (await server.connect(server.oauth({ scopes: ["configured", "twice", "twice"] }))).close();
      asked.push(server.logins[0]?.searchParams.get("scope"));
    }

    expect(asked).toEqual(["configured twice", "challenged"]);
  },
);

verifies(
  "client-auth:identity-assertion:saml",
  "the assertion and its type reach the identity provider as they are given",
  async () => {
    const server = new ScriptedAuthorizationServer();
    const provider = "https://idp.example.com";
    const issued_token_type = "urn:ietf:params:oauth:token-type:id-jag";
    server.answers.set(`POST ${provider}/exchange`, () =>
      Response.json({ issued_token_type, access_token: "the-id-jag", token_type: "N_A" }),
    );
    const identityProvider = {
      issuer: provider,
      tokenEndpoint: `${provider}/exchange`,
      client: { clientId: "at-provider", clientSecret: "p" },
      subjectToken: async () => "PHNhbWw+",
      subjectTokenType: "urn:ietf:params:oauth:token-type:saml2",
    };
    const client = { clientId: "robot", clientSecret: "s3cret", issuer: ISSUER };
    await (await server.connect(enterpriseAuthorization({ client, identityProvider }))).close();

    const exchange = server.requests.find(({ url }) => url.pathname === "/exchange");
    expect(exchange?.form.get("subject_token")).toBe("PHNhbWw+");
    expect(exchange?.form.get("subject_token_type")).toBe("urn:ietf:params:oauth:token-type:saml2");
    expect(server.to("/token")[0]?.form.get("assertion")).toBe("the-id-jag");
  },
);

verifies(
  "client-auth:token-secrecy",
  "neither a recorded wire nor the spans of calls hold a token, a code or a verifier",
  async () => {
    using traces = recordTelemetry();
    const server = new ScriptedAuthorizationServer();
    const seen: string[] = [];
    const transport = new HttpTransport(RESOURCE, { authorization: server.oauth(), fetch: server.fetch });
    const recorded = recordTransport(transport, (direction, message) =>
      seen.push(`${direction} ${JSON.stringify(message)}`),
    );
    const client = new Client({ name: "test-client", version: "1.0.0" });
    client.use(telemetry());
    await client.open(recorded);
    await client.callTool("add");
    await client.close();

    const verifier = server.to("/token")[0]?.form.get("code_verifier") ?? "";
    const spans = traces.spans.map(({ name, attributes, events }) => JSON.stringify({ name, attributes, events }));
    expect(seen.length).toBeGreaterThan(2);
    expect(spans.length).toBeGreaterThan(0);
    expect(verifier).not.toBe("");
    const everything = [...seen, ...spans].join(" ");
    expect(everything).not.toMatch(/access-\d|refresh-\d|code-\d/);
    expect(everything).not.toContain(verifier);
  },
);

verifies(
  "client-auth:bearer-header:every-request",
  "the stream and every message carry the token over HTTP+SSE as well",
  async () => {
    const server = new ScriptedAuthorizationServer();
    const mcp = new McpServer({ name: "older", version: "1.0.0" });
    mcp.tool("add", {}, () => "5");
    const handler = createFetchHandler(mcp, { legacy: { sse: true } });
    const calls: SeenRequest[] = [];
    const fetch: Fetch = (url, init) => {
      if (url.origin !== "https://mcp.example.com" || url.pathname.startsWith("/.well-known"))
        return server.fetch(url, init);
      const headers = new Headers(init.headers);
      calls.push({ method: init.method, url, headers, body: init.body ?? "", form: new URLSearchParams() });
      if (!headers.has("authorization")) return Promise.resolve(new Response(null, { status: 401 }));
      return handler(new Request(url, init));
    };
    server.describeResource({ resource: "https://mcp.example.com/sse" }, "/.well-known/oauth-protected-resource/sse");
    const target = { url: "https://mcp.example.com/sse", authorization: server.oauth(), fetch };
    const client = await Client.connect(target, { name: "test-client", version: "1.0.0" });
    const { content } = await client.callTool("add");
    await client.close();
    await handler.close();

    const [first, ...others] = calls;
    expect(content).toEqual([{ type: "text", text: "5" }]);
    expect(first?.headers.has("authorization")).toBe(false);
    expect(others.map(({ method, url }) => `${method} ${url.pathname}`)).toContain("GET /sse");
    expect(others.some(({ url }) => url.pathname !== "/sse")).toBe(true);
    expect(others.every(({ headers }) => /^Bearer access-/.test(headers.get("authorization") ?? ""))).toBe(true);
    expect(calls.every(({ url }) => !/access-/.test(url.href))).toBe(true);
    expect(server.logins).toHaveLength(1);
  },
);
