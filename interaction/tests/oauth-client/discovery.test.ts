import type { RedirectReceiver } from "parley-mcp/oauth";
import { expect, vi } from "vitest";
import {
  ISSUER,
  RESOURCE,
  rejection,
  ScriptedAuthorizationServer,
} from "../../src/oauth/scripted-authorization-server.js";
import { verifies } from "../../src/verifies.js";

const RESOURCE_METADATA = "https://mcp.example.com/.well-known/oauth-protected-resource";

verifies(
  "client-auth:401-triggers-flow",
  "a 401 leads to one login, and the call is sent again with its body",
  async () => {
    const server = new ScriptedAuthorizationServer();
    const client = await server.connect();
    const answer = await client.callTool("add");
    await client.close();

    expect(answer.content).toEqual([{ type: "text", text: "5" }]);
    expect(server.logins).toHaveLength(1);
    expect(server.calls[1]?.body).toBe(server.calls[0]?.body);
    expect(server.calls[0]?.headers.get("authorization")).toBeNull();
    expect(server.calls[1]?.headers.get("authorization")).toMatch(/^Bearer access-/);
  },
);

verifies(
  "client-auth:negotiation:auth-before-era",
  "a probe that waits for a login longer than its time limit is sent again, and the server stays modern",
  async () => {
    const server = new ScriptedAuthorizationServer();
    const { redirectUri, receive } = server.redirect;
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const redirect: RedirectReceiver = {
      redirectUri,
      receive: (...given) => {
        // A user who takes longer than the limit of the probe, after which silence would mean a legacy server.
        vi.advanceTimersByTime(6_000);
        return receive(...given);
      },
    };
    const client = await server.connect(server.oauth({ redirect })).finally(() => vi.useRealTimers());
    await client.close();

    expect(client.revision).toBe("2026-07-28");
    expect(server.calls.map(({ body }) => JSON.parse(body).method)).toEqual(["server/discover", "server/discover"]);
  },
);

verifies(
  "client-auth:refresh:time-limit",
  "a probe that waits for a refresh longer than its time limit is sent with the new token, and the server stays modern",
  async () => {
    const server = new ScriptedAuthorizationServer();
    let now = 0;
    const authorization = server.oauth({ now: () => now });
    await (await server.connect(authorization)).close();
    now = server.expiresIn * 1_000;
    server.answers.set(`POST ${ISSUER}/token`, (request) => {
      // Longer than the limit of the probe, after which silence would mean a legacy server.
      vi.advanceTimersByTime(6_000);
      return server.token(request);
    });
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const client = await server.connect(authorization).finally(() => vi.useRealTimers());
    await client.close();

    expect(client.revision).toBe("2026-07-28");
    expect(server.logins).toHaveLength(1);
  },
);

verifies(
  "client-auth:prm-discovery:fallback-order",
  "resource metadata is asked for at the challenge's URL, then at the path, then at the root",
  async () => {
    const server = new ScriptedAuthorizationServer();
    server.challenge = `Bearer resource_metadata="https://mcp.example.com/where"`;
    server.answers.delete(`GET ${RESOURCE_METADATA}/mcp`);
    server.describeResource({ resource: "https://mcp.example.com" }, "/.well-known/oauth-protected-resource");
    await (await server.connect()).close();

    expect(server.requests.slice(0, 4).map(({ url }) => url.href)).toEqual([
      "https://mcp.example.com/where",
      `${RESOURCE_METADATA}/mcp`,
      RESOURCE_METADATA,
      `${ISSUER}/.well-known/oauth-authorization-server`,
    ]);
  },
);

verifies(
  "client-auth:prm-discovery:no-prm-fallback",
  "the server's origin is its authorization server if there is no resource metadata, with metadata of its own or without",
  async () => {
    const described = new ScriptedAuthorizationServer("https://mcp.example.com");
    described.answers.delete(`GET ${RESOURCE_METADATA}/mcp`);
    described.describe({ token_endpoint: "https://mcp.example.com/oauth/token" });
    described.answers.set("POST https://mcp.example.com/oauth/token", (request) => described.token(request));
    await (await described.connect()).close();
    const bare = new ScriptedAuthorizationServer("https://mcp.example.com");
    bare.answers.delete(`GET ${RESOURCE_METADATA}/mcp`);
    bare.answers.delete("GET https://mcp.example.com/.well-known/oauth-authorization-server");
    await (await bare.connect()).close();

    expect(described.to("/oauth/token")).toHaveLength(1);
    expect(bare.logins[0]?.pathname).toBe("/authorize");
    expect([bare.to("/register").length, bare.to("/token").length]).toEqual([1, 1]);
  },
);

verifies(
  "client-auth:prm-resource-mismatch",
  "metadata of another resource ends the login before anything is sent to an authorization server",
  async () => {
    const server = new ScriptedAuthorizationServer();
    server.describeResource({ resource: "https://evil.example.com/mcp" });
    const error = await rejection(server.connect());

    expect(error.code).toBe("authorization-failed");
    expect(error.message).toContain("https://evil.example.com/mcp");
    expect(server.requests.every(({ url }) => url.origin !== ISSUER)).toBe(true);
  },
);

verifies(
  "client-auth:as-metadata-discovery:priority-order",
  "metadata is tried at three URLs for an issuer with a path, and at two for one without",
  async () => {
    const tenant = new ScriptedAuthorizationServer();
    tenant.describeResource({ authorization_servers: [`${ISSUER}/tenant`] });
    tenant.describe({ issuer: `${ISSUER}/tenant` }, "/tenant/.well-known/openid-configuration");
    tenant.respond = (url, code) => ({
      code,
      state: url.searchParams.get("state") ?? "",
      iss: `${ISSUER}/tenant`,
    });
    await (await tenant.connect()).close();
    const plain = new ScriptedAuthorizationServer();
    plain.answers.delete(`GET ${ISSUER}/.well-known/oauth-authorization-server`);
    plain.describe({}, "/.well-known/openid-configuration");
    await (await plain.connect()).close();

    const asked = (server: ScriptedAuthorizationServer) =>
      server.requests
        .filter(({ method, url }) => method === "GET" && url.origin === ISSUER)
        .map(({ url }) => url.pathname);
    expect(asked(tenant)).toEqual([
      "/.well-known/oauth-authorization-server/tenant",
      "/.well-known/openid-configuration/tenant",
      "/tenant/.well-known/openid-configuration",
    ]);
    expect(asked(plain)).toEqual(["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"]);
  },
);

verifies(
  "client-auth:as-metadata-discovery:issuer-validation",
  "metadata of another issuer is refused, a slash being enough, and none of its endpoints is called",
  async () => {
    for (const issuer of ["https://honest.example.com", `${ISSUER}/`]) {
      const server = new ScriptedAuthorizationServer();
      server.describe({ issuer });
      const error = await rejection(server.connect());

      expect(error.code).toBe("authorization-failed");
      expect(error.message).toContain(JSON.stringify(issuer));
      expect(server.requests.every(({ method }) => method === "GET")).toBe(true);
      expect(server.logins).toEqual([]);
    }
  },
);

verifies(
  "client-auth:as-metadata-discovery:outage",
  "metadata answered with 503 fails the call, and no other place is asked",
  async () => {
    for (const url of [`${RESOURCE_METADATA}/mcp`, `${ISSUER}/.well-known/oauth-authorization-server`]) {
      const server = new ScriptedAuthorizationServer();
      server.answers.set(`GET ${url}`, () => new Response(null, { status: 503 }));
      const error = await rejection(server.connect());

      expect(error).toMatchObject({ code: "authorization-failed", status: 503 });
      expect(server.requests.at(-1)?.url.href).toBe(url);
    }
  },
);

verifies(
  "client-auth:resource-parameter",
  "authorization, token and refresh requests name the resource exactly as its metadata spells it",
  async () => {
    const server = new ScriptedAuthorizationServer();
    server.describeResource({ resource: "https://MCP.example.com/mcp" });
    let now = 0;
    const client = await server.connect(server.oauth({ now: () => now }));
    now = 3_600_000;
    await client.callTool("add");
    await client.close();

    expect(server.logins[0]?.searchParams.getAll("resource")).toEqual(["https://MCP.example.com/mcp"]);
    expect(server.to("/token").map(({ form }) => [form.get("grant_type"), form.getAll("resource")])).toEqual([
      ["authorization_code", ["https://MCP.example.com/mcp"]],
      ["refresh_token", ["https://MCP.example.com/mcp"]],
    ]);
    expect(RESOURCE).not.toBe("https://MCP.example.com/mcp");
  },
);

verifies(
  "client-auth:as-metadata-discovery:missing",
  "a server whose routes were forgotten, or a proxy that strips a prefix, is named",
  async () => {
    const server = new ScriptedAuthorizationServer();
    server.answers.delete(`GET ${ISSUER}/.well-known/oauth-authorization-server`);
    server.answers.delete(`POST ${ISSUER}/register`);

    const error = await rejection(server.connect());
    expect(error).toMatchObject({ code: "authorization-failed", status: 404 });
    expect(String(error)).toContain(
      `No metadata of the authorization server ${ISSUER} was found at ${ISSUER}/.well-known/oauth-authorization-server or ` +
        `${ISSUER}/.well-known/openid-configuration`,
    );
    expect(String(error)).toContain(`POST ${ISSUER}/register was answered with status 404`);
  },
);
