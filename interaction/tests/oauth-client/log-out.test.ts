import { InMemoryCredentialStore } from "parley-mcp/oauth";
import { expect } from "vitest";
import {
  ISSUER,
  RESOURCE,
  rejection,
  ScriptedAuthorizationServer,
} from "../../src/oauth/scripted-authorization-server.js";
import { verifies } from "../../src/verifies.js";

/** A client whose clock a test turns. */
async function connectAt(server: ScriptedAuthorizationServer) {
  const clock = { now: 0 };
  const store = new InMemoryCredentialStore();
  const authorization = server.oauth({ now: () => clock.now, store });
  return { clock, store, authorization, client: await server.connect(authorization) };
}

verifies(
  "client-auth:log-out:nothing-stored",
  "logOut under another client name finds no tokens, says so and revokes nothing",
  async () => {
    const server = new ScriptedAuthorizationServer();
    const { client, store } = await connectAt(server);
    await client.callTool("add");

    const { isRevoked, error } = await server.oauth({ store, clientName: "Another" }).logOut(RESOURCE);

    expect(isRevoked).toBe(false);
    expect(error?.message).toMatch(/^No tokens are stored for .*clientName/);
    expect(server.to("/revoke")).toEqual([]);
    await client.close();
  },
);

verifies(
  "client-auth:log-out",
  "logOut revokes both tokens, and another process finds no token in the store",
  async () => {
    const server = new ScriptedAuthorizationServer();
    server.describe({ revocation_endpoint: `${ISSUER}/revoke` });
    const { authorization, client, store } = await connectAt(server);
    server.answers.set(`POST ${ISSUER}/revoke`, () => new Response(null, { status: 200 }));
    await client.callTool("add");

    expect(await authorization.logOut(RESOURCE)).toEqual({ isRevoked: true });
    const forms = server.to("/revoke").map(({ form }) => [form.get("token_type_hint"), form.get("token")]);
    expect(forms).toEqual([
      ["refresh_token", expect.stringMatching(/^refresh-/)],
      ["access_token", expect.stringMatching(/^access-/)],
    ]);

    server.answers.set(`POST ${ISSUER}/revoke`, () =>
      Response.json({ error: "server_error", error_description: "because" }, { status: 400 }),
    );
    await client.callTool("add");
    expect(server.logins).toHaveLength(2);
    const failed = await authorization.logOut(RESOURCE);
    expect(failed).toMatchObject({ isRevoked: false, error: { code: "authorization-failed" } });
    expect(failed.error?.message).toContain("forgotten here and not revoked: server_error");
    const other = server.oauth({ store });
    await (await server.connect(other)).close();
    expect(server.logins).toHaveLength(3);
    await client.close();
  },
);

verifies(
  "client-auth:log-out:locked",
  "logOut without the lock of the store forgets the tokens, and the next call asks the user",
  async () => {
    const server = new ScriptedAuthorizationServer();
    server.describe({ revocation_endpoint: `${ISSUER}/revoke` });
    server.answers.set(`POST ${ISSUER}/revoke`, () => new Response(null, { status: 200 }));
    const { authorization, client, store } = await connectAt(server);
    await client.callTool("add");
    const withLock = store.withLock.bind(store);
    store.withLock = () => Promise.reject(new Error("process 7 has it"));

    const { isRevoked, error } = await authorization.logOut(RESOURCE);
    store.withLock = withLock;
    const other = await rejection(server.connect(server.oauth({ store, redirect: undefined })));
    await client.callTool("add");
    await client.close();

    expect(other).toMatchObject({ code: "authorization-required" });
    expect(isRevoked).toBe(true);
    expect(error?.message).toMatch(/another process may store tokens again: process 7 has it/);
    expect(server.to("/revoke")).toHaveLength(2);
    expect(server.logins).toHaveLength(2);
  },
);

verifies(
  "client-auth:log-out:lasting",
  "a process whose token expires after another process logged out asks the user instead of refreshing",
  async () => {
    const server = new ScriptedAuthorizationServer();
    const { clock, client, store } = await connectAt(server);
    await server.oauth({ store }).logOut(RESOURCE);
    clock.now = 3_600_000;
    await client.callTool("add");
    await client.close();

    const grantTypes = server.to("/token").map(({ form }) => form.get("grant_type"));
    expect(grantTypes).toEqual(["authorization_code", "authorization_code"]);
    expect(server.logins).toHaveLength(2);
  },
);
