import { expect, it } from "vitest";
import { discoverAuthorizationServer, discoverResource } from "./server-discovery.js";

const URL_OF_SERVER = new URL("https://mcp.example.com/mcp");

function answering(answers: Record<string, Response | Error>) {
  const asked: string[] = [];
  const fetch = async (input: string | URL) => {
    asked.push(String(input));
    const answer = answers[String(input)] ?? new Response(null, { status: 404 });
    if (answer instanceof Error) throw answer;
    return answer.clone();
  };
  return { asked, fetch };
}

it("takes a page in the place of metadata for absent", async () => {
  const { fetch } = answering({
    "https://mcp.example.com/.well-known/oauth-protected-resource/mcp": new Response("<html>"),
    "https://mcp.example.com/.well-known/oauth-protected-resource": new Response(null, { status: 302 }),
  });
  expect(await discoverResource(URL_OF_SERVER, undefined, fetch)).toEqual({
    resource: "https://mcp.example.com/mcp",
    metadata: undefined,
    issuers: ["https://mcp.example.com"],
  });
});

it.each([{}, { authorization_servers: [] }])("lets a resource that names no server be its own: %o", async (fields) => {
  const { fetch } = answering({
    "https://mcp.example.com/.well-known/oauth-protected-resource/mcp": Response.json({
      resource: "https://mcp.example.com/mcp",
      ...fields,
    }),
  });
  expect((await discoverResource(URL_OF_SERVER, undefined, fetch)).issuers).toEqual(["https://mcp.example.com"]);
});

it("refuses a challenge whose metadata is no URL, and fails with the network", async () => {
  const { fetch } = answering({
    "https://mcp.example.com/.well-known/oauth-protected-resource/mcp": new Error("no route"),
  });
  await expect(discoverResource(URL_OF_SERVER, "/relative", fetch)).rejects.toThrow("that is no URL");
  await expect(discoverResource(URL_OF_SERVER, undefined, fetch)).rejects.toMatchObject({
    code: "authorization-failed",
    message: "GET https://mcp.example.com/.well-known/oauth-protected-resource/mcp failed: no route",
  });
});

it("passes over metadata of another issuer where the right one is found after it", async () => {
  const issuer = "https://login.example.com/tenant";
  const { fetch, asked } = answering({
    "https://login.example.com/.well-known/oauth-authorization-server/tenant": Response.json({
      issuer: "https://login.example.com",
    }),
    "https://login.example.com/.well-known/openid-configuration/tenant": Response.json({ issuer }),
  });
  expect(await discoverAuthorizationServer(issuer, fetch)).toMatchObject({ issuer, isDescribed: true });
  expect(asked).toHaveLength(2);
});
