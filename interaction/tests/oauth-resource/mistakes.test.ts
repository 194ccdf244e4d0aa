import { serveHttp } from "parley-mcp/node";
import { introspectionVerifier, protectedResource } from "parley-mcp/oauth/resource";
import { authorizationServer } from "parley-mcp/oauth/server";
import { McpServer } from "parley-mcp/server";
import { expect } from "vitest";
import { callPost, exchange } from "../../src/http/http-posts.js";
import { bearer, ISSUER, RESOURCE, TestIssuer } from "../../src/oauth/test-issuer.js";
import { verifies } from "../../src/verifies.js";

function files(): McpServer {
  return new McpServer({ name: "files", version: "1.0.0", onError: () => {} });
}

const invalid = (text: string) =>
  expect.objectContaining({ code: "invalid-argument", message: expect.stringContaining(text) });

verifies(
  "oauth-resource:mistakes",
  "a gate, verifier or route of the wrong type and unknown options are refused at the start with what to write",
  async () => {
    const login = authorizationServer({ issuer: ISSUER, resources: [RESOURCE], users: [] });
    const protect = (options: unknown) => () => protectedResource(options as never);
    expect(protect(undefined)).toThrow(invalid("protectedResource: expected an object with some of resource, issuer"));
    expect(protect({ resource: RESOURCE, issuer: ISSUER, scopes: [] })).toThrow(invalid('there is no option "scopes"'));
    expect(protect({ resource: RESOURCE, issuer: ISSUER, verifier: login })).toThrow(
      invalid("write `verifier: login.verifyAccessToken`"),
    );
    const serve = (options: unknown) => serveHttp(files(), options as never);
    await expect(serve({ authorization: { resource: RESOURCE, issuer: ISSUER } })).rejects.toEqual(
      invalid("write `authorization: protectedResource({ resource, issuer })`"),
    );
    for (const routes of [[login], login.handle]) {
      await expect(serve({ routes })).rejects.toEqual(invalid("write `routes: [login.handle]`"));
    }
    expect(() => introspectionVerifier({ issuer: ISSUER, clientId: "mcp", clientSecret: undefined })).toThrow(
      invalid("clientSecret: got undefined"),
    );
  },
);

verifies(
  "oauth-resource:own-credentials",
  "an issuer that refuses the introspection secret is 503 for callers, and the operator hears which options to check",
  async () => {
    const issuer = await TestIssuer.create();
    issuer.answers.set("/introspect", () => Response.json({ error: "invalid_client" }, { status: 401 }));
    const causes: unknown[] = [];
    const credentials = { clientId: "mcp", clientSecret: "wrong" };
    const verifier = introspectionVerifier({ issuer: ISSUER, ...credentials, fetch: issuer.fetch });
    const authorization = protectedResource({ ...issuer.options, verifier });
    await using http = await serveHttp(files(), { authorization, onRefusal: ({ cause }) => void causes.push(cause) });
    const refused = await exchange(http.url, callPost("list", {}, bearer("opaque")));

    expect(refused.status).toBe(503);
    expect(`${causes[0]}`).toContain("check clientId and clientSecret of introspectionVerifier");
    expect(JSON.stringify(refused.json)).not.toContain("clientSecret");
  },
);

verifies(
  "oauth-resource:missing-route",
  "a path that nothing serves, such as that of an unmounted authorization server, is 404, and the operator hears of it",
  async () => {
    const messages: string[] = [];
    await using http = await serveHttp(files(), {
      path: "/mcp",
      onRefusal: ({ message }) => void messages.push(message),
    });
    const response = await fetch(new URL("/register", http.url), { method: "POST", body: "{}" });

    expect([response.status, await response.text()]).toEqual([404, ""]);
    expect(messages).toEqual(['HTTP 404: nothing serves POST "/register"']);
  },
);
