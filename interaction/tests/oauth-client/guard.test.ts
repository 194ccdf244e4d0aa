import { Client } from "parley-mcp/client";
import type { Fetch } from "parley-mcp/oauth";
import { expect } from "vitest";
import { ProtectedSocket } from "../../src/oauth/protected-socket.js";
import { ISSUER, rejection, ScriptedAuthorizationServer } from "../../src/oauth/scripted-authorization-server.js";
import { verifies } from "../../src/verifies.js";

const RESOURCE_METADATA = "https://mcp.example.com/.well-known/oauth-protected-resource/mcp";
const SERVER_METADATA = `${ISSUER}/.well-known/oauth-authorization-server`;

/** One address in the forms that URLs have for it, and others that no remote server has. */
const PRIVATE_HOSTS: readonly string[] = [
  ...["127.0.0.1", "localhost", "2130706433", "0x7f.1", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0"],
  ...["10.0.0.5", "172.16.0.1", "192.168.1.1", "100.64.0.1", "[fd00::1]", "169.254.169.254", "[fe80::1]"],
  ...["metadata.google.internal", "[64:ff9b::a9fe:a9fe]", "[2002:a9fe:a9fe::1]"],
];

const redirect = (location: string, status = 302) => new Response(null, { status, headers: { location } });

verifies(
  "client-auth:guard:private-address",
  "neither the challenge nor the metadata of a remote server leads to an address of the client's network",
  async () => {
    for (const host of PRIVATE_HOSTS) {
      const named = new ScriptedAuthorizationServer();
      named.describeResource({ authorization_servers: [`https://${host}`] });
      expect((await rejection(named.connect())).message).toContain("not a public address");
      expect(named.requests.map(({ url }) => url.href)).toEqual([RESOURCE_METADATA]);

      const challenged = new ScriptedAuthorizationServer();
      challenged.challenge = `Bearer resource_metadata="https://${host}/metadata"`;
      expect((await rejection(challenged.connect())).code).toBe("authorization-failed");
      expect(challenged.requests).toEqual([]);
    }
  },
);

verifies(
  "client-auth:guard:allowed-hosts",
  "the authorization server of a company is found on its private address, and another one is not",
  async () => {
    const server = new ScriptedAuthorizationServer("https://10.0.0.5");
    const authorization = server.oauth({ allowPrivate: ["10.0.0.5"] });
    await (await server.connect(authorization)).close();
    expect(server.to("/token")).toHaveLength(1);

    const other = new ScriptedAuthorizationServer("https://10.0.0.6");
    const error = await rejection(other.connect(other.oauth({ allowPrivate: ["10.0.0.5"] })));
    expect(error.message).toContain("list it in allowPrivate");
  },
);

verifies(
  ["client-auth:guard:local-server", "client-auth:guard:redirect-targets"],
  "a local server over a socket is logged in to, and leads to no link-local address, by its metadata or by a redirect",
  async () => {
    await using socket = await ProtectedSocket.start();
    await (await socket.connect()).close();
    expect(socket.count("POST /token")).toBe(1);

    socket.describeResource({ authorization_servers: ["https://169.254.169.254"] });
    expect((await rejection(socket.connect())).message).toContain("not a public address");
    const elsewhere = redirect("https://169.254.169.254/latest/meta-data");
    socket.answers.set("GET /.well-known/oauth-protected-resource/mcp", () => elsewhere.clone());
    expect((await rejection(socket.connect())).message).toContain("not a public address");
    expect(socket.count("POST /token")).toBe(1);
  },
);

verifies(
  "client-auth:guard:local-server",
  "a server on localhost has its authorization server on another port, and not on a link-local address",
  async () => {
    const server = new ScriptedAuthorizationServer("http://127.0.0.1:9000");
    server.challenge = "Bearer";
    // The scripted server stands for one on this machine.
    const fetch: Fetch = (url, init) =>
      server.fetch(new URL(url.href.replace("http://localhost:3000", "https://mcp.example.com")), init);
    const connect = () =>
      Client.connect(
        { url: "http://localhost:3000/mcp", authorization: server.oauth(), fetch },
        { name: "test-client", version: "1.0.0" },
      );
    server.describeResource({ resource: "http://localhost:3000/mcp" });
    const client = await connect();
    await client.close();
    expect(server.to("/token")).toHaveLength(1);

    server.describeResource({
      resource: "http://localhost:3000/mcp",
      authorization_servers: ["https://169.254.169.254"],
    });
    expect((await rejection(connect())).message).toContain("not a public address");
  },
);

verifies("client-auth:guard:redirects", "metadata behind three redirects is found, and a loop ends", async () => {
  const moved = new ScriptedAuthorizationServer();
  moved.describe({}, "/moved");
  moved.answers.set(`GET ${SERVER_METADATA}`, () => redirect("/a"));
  moved.answers.set(`GET ${ISSUER}/a`, () => redirect(`${ISSUER}/b`, 301));
  moved.answers.set(`GET ${ISSUER}/b`, () => redirect("moved", 308));
  await (await moved.connect()).close();
  expect(moved.logins).toHaveLength(1);

  const loop = new ScriptedAuthorizationServer();
  loop.answers.set(`GET ${SERVER_METADATA}`, () => redirect(SERVER_METADATA));
  const error = await rejection(loop.connect());
  expect(error.code).toBe("authorization-failed");
  expect(error.message).toContain("redirects");
  expect(loop.to("/.well-known/oauth-authorization-server")).toHaveLength(4);
  expect(loop.logins).toEqual([]);
});

verifies(
  "client-auth:guard:redirect-targets",
  "metadata that is redirected to a private address, or to http, is not fetched there",
  async () => {
    for (const target of ["https://10.0.0.5/", "https://169.254.169.254/", `${ISSUER.replace("https", "http")}/x`]) {
      const server = new ScriptedAuthorizationServer();
      server.answers.set(`GET ${RESOURCE_METADATA}`, () => redirect(target));
      expect((await rejection(server.connect())).message).toContain("refused");
      expect(server.requests.map(({ url }) => url.href)).toEqual([RESOURCE_METADATA]);
    }
  },
);

verifies(
  "client-auth:guard:token-redirect",
  "a token endpoint that redirects elsewhere gets no token, and elsewhere sees nothing",
  async () => {
    for (const status of [302, 307, 308]) {
      const server = new ScriptedAuthorizationServer();
      server.answers.set(`POST ${ISSUER}/token`, () => redirect("https://evil.example.com/token", status));
      expect((await rejection(server.connect())).code).toBe("authorization-failed");
      expect(server.to("/token")).toHaveLength(1);
      expect(server.requests.filter(({ url }) => url.hostname === "evil.example.com")).toEqual([]);
    }
  },
);

verifies("client-auth:guard:size", "metadata that never ends is given up after a mebibyte", async () => {
  let sent = 0;
  const endless = () =>
    new ReadableStream({
      pull(stream) {
        sent += 65_536;
        stream.enqueue(new Uint8Array(65_536).fill(0x20));
      },
    });
  const server = new ScriptedAuthorizationServer();
  server.answers.set(`GET ${SERVER_METADATA}`, () => new Response(endless(), { status: 200 }));
  const error = await rejection(server.connect());

  expect(error.code).toBe("authorization-failed");
  expect(error.message).toContain("more than 1048576 bytes");
  expect(sent).toBeLessThan(2 * 1_048_576);
});

verifies("client-auth:guard:endpoints", "an endpoint that is a script, a file or without TLS is not used", async () => {
  for (const endpoint of [
    "javascript:alert(1)",
    "data:text/html,x",
    "file:///etc/passwd",
    "http://login.example.com/",
  ]) {
    for (const field of ["authorization_endpoint", "token_endpoint", "registration_endpoint"]) {
      const server = new ScriptedAuthorizationServer();
      server.describe({ [field]: endpoint });
      const error = await rejection(server.connect());
      expect(error.code).toBe("authorization-failed");
      expect(error.message).toContain(field);
      expect(server.logins).toEqual([]);
    }
  }
});
