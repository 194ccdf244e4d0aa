import { decodeJwt, decodeProtectedHeader, exportPKCS8, generateKeyPair, jwtVerify } from "jose";
import {
  type AssertionRequest,
  clientCredentials,
  enterpriseAuthorization,
  InMemoryCredentialStore,
  type OAuthAuthorization,
  workloadIdentity,
} from "parley-mcp/oauth";
import { expect } from "vitest";
import { ApprovingServer } from "../../src/oauth/approving-server.js";
import {
  ISSUER,
  RESOURCE,
  rejection,
  ScriptedAuthorizationServer,
} from "../../src/oauth/scripted-authorization-server.js";
import { verifies } from "../../src/verifies.js";

const PROVIDER = "https://idp.example.com";
const JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const ID_JAG = "urn:ietf:params:oauth:token-type:id-jag";
const client = { clientId: "robot", clientSecret: "s3cret", issuer: ISSUER };
const identityProvider = {
  issuer: PROVIDER,
  client: { clientId: "at-provider", clientSecret: "p" },
  subjectToken: "the-id-token",
};

/** A server whose users have an identity provider. */
function enterprise(jag: Record<string, unknown> = {}): ScriptedAuthorizationServer {
  const server = new ScriptedAuthorizationServer();
  server.challenge += ', scope="read"';
  server.answers.set(`GET ${PROVIDER}/.well-known/oauth-authorization-server`, () =>
    Response.json({ issuer: PROVIDER, token_endpoint: `${PROVIDER}/token` }),
  );
  server.answers.set(`POST ${PROVIDER}/token`, () =>
    Response.json({ issued_token_type: ID_JAG, access_token: "the-id-jag", token_type: "N_A", ...jag }),
  );
  return server;
}

async function useOnce(server: ScriptedAuthorizationServer, authorization: OAuthAuthorization): Promise<void> {
  const connected = await server.connect(authorization);
  await connected.callTool("add");
  await connected.close();
}

verifies(
  "client-auth:client-credentials",
  "a program gets a token by its secret, and again when it expires",
  async () => {
    const server = new ScriptedAuthorizationServer();
    server.challenge += ', scope="read"';
    server.answers.set(`POST ${ISSUER}/token`, () => server.tokens({ refresh_token: undefined }));
    let now = 0;
    const connected = await server.connect(clientCredentials({ client, now: () => now }));
    now = 4_000_000;
    await connected.callTool("add");
    await connected.close();

    expect(server.logins).toEqual([]);
    const requests = server
      .to("/token")
      .map(({ form, headers }) => [
        form.get("grant_type"),
        form.get("scope"),
        form.get("resource"),
        headers.get("authorization"),
      ]);
    const expected = ["client_credentials", "read", RESOURCE, `Basic ${btoa("robot:s3cret")}`];
    expect(requests).toEqual([expected, expected]);
  },
);

verifies(
  "client-auth:private-key-jwt",
  "an assertion is signed by the program's key for the issuer, or sent as it was signed elsewhere",
  async () => {
    const { privateKey, publicKey } = await generateKeyPair("ES256", { extractable: true });
    const server = new ScriptedAuthorizationServer();
    const keys = [privateKey, await exportPKCS8(privateKey)];
    for (const key of keys) {
      const signing = { clientId: "robot", privateKey: { key, keyId: "k1" }, issuer: ISSUER };
      await useOnce(server, clientCredentials({ client: signing }));
    }
    const asked: string[] = [];
    const assertion = (audience: string) => {
      asked.push(audience);
      return "prepared";
    };
    await useOnce(server, clientCredentials({ client: { clientId: "robot", assertion } }));

    const forms = server.to("/token").map(({ form }) => form);
    for (const form of forms.slice(0, 2)) {
      const jwt = form.get("client_assertion") ?? "";
      const { payload } = await jwtVerify(jwt, publicKey, { audience: ISSUER, issuer: "robot", subject: "robot" });
      expect(payload.aud).toBe(ISSUER);
      expect(decodeProtectedHeader(jwt)).toMatchObject({ alg: "ES256", kid: "k1" });
    }
    expect(forms[2]?.get("client_assertion")).toBe("prepared");
    expect(asked).toEqual([ISSUER]);
    expect(forms.every((form) => form.get("client_assertion_type")?.endsWith(":jwt-bearer"))).toBe(true);
  },
);

verifies(
  "client-auth:identity-assertion",
  "the user's ID token is exchanged for an ID-JAG at the provider, and that for a token",
  async () => {
    const server = enterprise();
    await useOnce(server, enterpriseAuthorization({ client, identityProvider }));

    const exchange = server.requests.find(({ url }) => url.href === `${PROVIDER}/token`);
    expect(Object.fromEntries(exchange?.form ?? [])).toMatchObject({
      grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
      requested_token_type: ID_JAG,
      audience: ISSUER,
      resource: RESOURCE,
      scope: "read",
      subject_token: "the-id-token",
      subject_token_type: "urn:ietf:params:oauth:token-type:id_token",
    });
    expect(exchange?.headers.get("authorization")).toBe(`Basic ${btoa("at-provider:p")}`);
    const [request] = server.to("/token");
    expect([request?.form.get("grant_type"), request?.form.get("assertion")]).toEqual([JWT_BEARER, "the-id-jag"]);
    expect(request?.headers.get("authorization")).toBe(`Basic ${btoa("robot:s3cret")}`);
    expect(server.logins).toEqual([]);
  },
);

verifies(
  "client-auth:identity-assertion:assertion-callback",
  "a callback gets audience, resource, scopes and client, and its assertion is sent",
  async () => {
    const server = enterprise();
    const asked: AssertionRequest[] = [];
    const callback = async (request: AssertionRequest) => {
      asked.push(request);
      return "from-callback";
    };
    await useOnce(server, enterpriseAuthorization({ client, identityProvider: callback }));

    expect(asked).toMatchObject([{ audience: ISSUER, resource: RESOURCE, scopes: ["read"], clientId: "robot" }]);
    expect(server.to("/token")[0]?.form.get("assertion")).toBe("from-callback");
  },
);

verifies(
  "client-auth:identity-assertion:issuer-pinning",
  "no assertion is asked for or sent if the server names another issuer",
  async () => {
    const server = enterprise();
    const pinned = { ...client, issuer: "https://pinned.example.com" };
    const error = await rejection(server.connect(enterpriseAuthorization({ client: pinned, identityProvider })));

    expect(error.code).toBe("authorization-failed");
    expect(error.message).toContain("https://pinned.example.com");
    expect(server.requests.every(({ method }) => method === "GET")).toBe(true);
  },
);

verifies(
  "client-auth:identity-assertion:refusals",
  "a refused assertion, or a server without the grant, fails the call at once",
  async () => {
    const refusing = enterprise();
    refusing.answers.set(`POST ${ISSUER}/token`, () => Response.json({ error: "invalid_grant" }, { status: 400 }));
    const refused = await rejection(refusing.connect(enterpriseAuthorization({ client, identityProvider })));
    const lacking = enterprise();
    lacking.describe({ grant_types_supported: ["authorization_code"] });
    const lacked = await rejection(lacking.connect(enterpriseAuthorization({ client, identityProvider })));
    const odd = enterprise({ issued_token_type: "urn:ietf:params:oauth:token-type:access_token" });
    const noJag = await rejection(odd.connect(enterpriseAuthorization({ client, identityProvider })));

    expect(refused).toMatchObject({ code: "authorization-failed", cause: { code: "invalid_grant", status: 400 } });
    expect(refusing.to("/token")).toHaveLength(1);
    expect(lacked.message).toContain(JWT_BEARER);
    expect(lacking.requests.every(({ method }) => method === "GET")).toBe(true);
    expect(noJag.message).toContain("ID-JAG");
    expect(odd.to("/token")).toEqual([]);
  },
);

verifies(
  "client-auth:workload-identity",
  "the assertion of a platform gets a token, and a refused one nothing more",
  async () => {
    const server = new ScriptedAuthorizationServer();
    const workload = { client: { clientId: "importer" }, assertion: async () => "of-the-platform" };
    await useOnce(server, workloadIdentity(workload));
    const refusing = new ScriptedAuthorizationServer();
    refusing.answers.set(`POST ${ISSUER}/token`, () => Response.json({ error: "invalid_grant" }, { status: 400 }));
    const error = await rejection(refusing.connect(workloadIdentity(workload)));

    expect(Object.fromEntries(server.to("/token")[0]?.form ?? [])).toMatchObject({
      grant_type: JWT_BEARER,
      assertion: "of-the-platform",
      client_id: "importer",
      resource: RESOURCE,
    });
    expect(error.code).toBe("authorization-failed");
    expect(refusing.requests.filter(({ method }) => method === "POST")).toHaveLength(1);
  },
);

verifies(
  "client-auth:dpop",
  "tokens are bound to a stored key: fresh proofs with both servers' nonces, and none where a server does not know DPoP",
  async () => {
    const server = new ScriptedAuthorizationServer();
    server.describeResource({ dpop_signing_alg_values_supported: ["ES256"] });
    server.describe({ dpop_signing_alg_values_supported: ["ES256"] });
    const claimsOf = (proof: string | null) =>
      proof === null ? {} : decodeJwt<{ nonce?: string; ath?: string }>(proof);
    server.answers.set(`POST ${ISSUER}/token`, ({ headers }) => {
      const hasNonce = claimsOf(headers.get("dpop")).nonce === "as-nonce";
      if (hasNonce) return server.tokens({ token_type: "DPoP" });
      return Response.json({ error: "use_dpop_nonce" }, { status: 400, headers: { "dpop-nonce": "as-nonce" } });
    });
    server.answers.set(`POST ${RESOURCE}`, (request) => {
      const { nonce } = claimsOf(request.headers.get("dpop"));
      if (!request.headers.has("authorization") || nonce === "rs-nonce") return server.call(request);
      const headers = { "www-authenticate": 'DPoP error="use_dpop_nonce"', "dpop-nonce": "rs-nonce" };
      return new Response(null, { status: 401, headers });
    });
    const store = new InMemoryCredentialStore();
    await useOnce(server, server.oauth({ store }));
    await useOnce(server, server.oauth({ store }));
    const bearer = new ScriptedAuthorizationServer();
    bearer.describe({ dpop_signing_alg_values_supported: ["ES256"] });
    await useOnce(bearer, bearer.oauth());

    const sent = server.calls.filter(({ headers }) => headers.has("authorization"));
    const proofs = sent.map(({ headers }) => headers.get("dpop") ?? "");
    expect(server.logins).toHaveLength(1);
    expect(server.to("/token")).toHaveLength(2);
    expect(sent.every(({ headers }) => headers.get("authorization")?.startsWith("DPoP "))).toBe(true);
    expect(new Set(proofs.map((proof) => decodeJwt(proof).jti)).size).toBe(proofs.length);
    expect(new Set(proofs.map((proof) => JSON.stringify(decodeProtectedHeader(proof).jwk))).size).toBe(1);
    expect(proofs.every((proof) => claimsOf(proof).ath !== undefined)).toBe(true);
    expect(bearer.to("/token")[0]?.headers.has("dpop")).toBe(false);
  },
);

verifies(
  "client-auth:dpop:unbound",
  "a token that is not bound to the key is not used, and a refresh that brings one leaves the bound one in use",
  async () => {
    const plain = new ScriptedAuthorizationServer();
    const error = await rejection(plain.connect(plain.oauth({ dpop: true })));
    const server = new ScriptedAuthorizationServer();
    const bound = () => server.tokens({ token_type: "DPoP" });
    server.answers.set(`POST ${ISSUER}/token`, bound);
    const clock = { now: 0 };
    const client = await server.connect(server.oauth({ dpop: true, now: () => clock.now }));
    server.answers.set(`POST ${ISSUER}/token`, () => server.tokens({}));
    clock.now = 3_590_000;
    await client.callTool("add");
    clock.now = 3_700_000;
    const expired = await rejection(client.callTool("add"));
    await client.close();

    for (const { code, message } of [error, expired]) {
      expect([code, message]).toEqual(["authorization-failed", expect.stringContaining("is not bound to a key")]);
    }
    expect(plain.calls.filter(({ headers }) => headers.has("authorization"))).toEqual([]);
    const schemes = server.calls.map(({ headers }) => headers.get("authorization")?.split(" ")[0]);
    expect(new Set(schemes)).toEqual(new Set([undefined, "DPoP"]));
  },
);

verifies(
  "client-auth:dpop:wrong-clock",
  "clients whose clocks are two hours fast or slow get tokens that are bound to a key, and call with them",
  async () => {
    for (const skewMs of [7_200_000, -7_200_000]) {
      await using server = await ApprovingServer.start();
      let aheadMs = skewMs;
      const client = await server.logIn({ dpop: true, now: () => Date.now() + aheadMs });
      await client.callTool("add");
      // The user sets the clock.
      aheadMs = skewMs / 2;
      const result = await client.callTool("add");
      await client.close();

      expect(result.content).toEqual([{ type: "text", text: "5" }]);
      expect(server.granted.filter((grant) => grant === "authorization_code")).toHaveLength(1);
    }
  },
);
