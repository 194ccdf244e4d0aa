import { expect, it } from "vitest";
import { SdkError } from "../../errors/sdk-error.js";
import { discoverAuthorizationServer, discoverResource, withoutMetadata } from "./server-discovery.js";

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

it("assumes the default endpoints of a server without metadata, and names the missing metadata if they are not there", async () => {
  const { fetch } = answering({});
  const server = await discoverAuthorizationServer("https://login.example.com", fetch);
  expect(server).toMatchObject({
    isDescribed: false,
    metadata: {
      issuer: "https://login.example.com",
      authorization_endpoint: "https://login.example.com/authorize",
      token_endpoint: "https://login.example.com/token",
      registration_endpoint: "https://login.example.com/register",
    },
  });
  const missing = new SdkError("http-error", "POST /register was answered with status 404", { status: 404 });
  expect(withoutMetadata(server, missing)).toMatchObject({
    message: expect.stringContaining(
      "was found at https://login.example.com/.well-known/oauth-authorization-server or",
    ),
    cause: missing,
    status: 404,
  });
  const others = [new SdkError("http-error", "refused", { status: 400 }), new Error("no route")];
  for (const other of others) expect(withoutMetadata(server, other)).toBe(other);
  expect(withoutMetadata({ ...server, isDescribed: true }, missing)).toBe(missing);
});

it("fails for metadata that a server cannot serve now, instead of assuming that there is none", async () => {
  const place = "https://login.example.com/.well-known/oauth-authorization-server";
  const { fetch } = answering({ [place]: new Response(null, { status: 503 }) });
  await expect(discoverAuthorizationServer("https://login.example.com", fetch)).rejects.toMatchObject({
    message: `GET ${place} was answered with status 503: try again later`,
    status: 503,
  });
});
