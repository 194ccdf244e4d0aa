/** The server whose users log in with GitHub, with a scripted GitHub and a browser without a screen. */
import { Client } from "parley-mcp/client";
import { oauth } from "parley-mcp/oauth";
import { memberOf } from "parley-mcp/oauth/server";
import { afterAll, expect, test } from "vitest";
import { CompiledExamples } from "../testing/compiled-examples.js";
import { startRepositoriesServer } from "./upstream-login/repositories-server.js";

const examples = new CompiledExamples();
afterAll(() => examples[Symbol.dispose]());

const redirectUri = "http://127.0.0.1:7777/callback";

/** Answers of GitHub by path. The repositories are for the token that it issued. */
async function scriptedGithub(url: URL, { headers, body }: RequestInit): Promise<Response> {
  switch (url.pathname) {
    case "/login/oauth/access_token":
      expect(new URLSearchParams(`${body}`).get("client_secret")).toBe("the secret");
      return Response.json({ access_token: "gho_1", token_type: "bearer", scope: "read:user" });
    case "/user":
      return Response.json({ id: 1, login: "octocat" });
    case "/user/repos":
      expect(new Headers(headers).get("authorization")).toBe("Bearer gho_1");
      return Response.json([{ full_name: "octocat/hello" }, { full_name: "octocat/world" }]);
    default:
      return Response.json([]);
  }
}

/** Approves the client, is let through by GitHub, and comes back. */
async function logIn(url: URL): Promise<{ readonly page: string; readonly answer: URLSearchParams }> {
  const consent = await fetch(url);
  const cookie = `${consent.headers.getSetCookie()[0]?.split(";")[0]}`;
  const page = await consent.text();
  const hidden = [...page.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)];
  const form = { ...Object.fromEntries(hidden.map(([, name, value]) => [name, value])), provider: "github" };
  const visit = async (place: URL, init: RequestInit = {}) =>
    fetch(place, { ...init, headers: { cookie }, redirect: "manual" });
  const sent = await visit(new URL("/login", url), { method: "POST", body: new URLSearchParams(form) });
  const asked = new URL(`${sent.headers.get("location")}`).searchParams;
  const back = await visit(new URL(`${asked.get("redirect_uri")}?code=c-1&state=${asked.get("state")}`));
  const location = back.headers.get("location");
  return {
    page: await back.text(),
    answer: location === null ? new URLSearchParams() : new URL(location).searchParams,
  };
}

test("a user who logs in with GitHub has the tool call GitHub", async () => {
  const github = { clientId: "the client", clientSecret: "the secret", fetch: scriptedGithub };
  const server = await startRepositoriesServer({ port: 0, ...github });
  const receive = async (url: URL) => (await logIn(url)).answer;
  const authorization = oauth({ redirect: { redirectUri, receive }, clientName: "example" });

  const client = await Client.connect({ url: server.url, authorization }, { name: "example", version: "1.0.0" });
  const { content } = await client.callTool("repositories");
  await client.close();
  await server.close();

  expect(server.callbackUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/login\/callback\/github$/);
  expect(content).toEqual([{ type: "text", text: "octocat/hello\noctocat/world" }]);
});

test("a user outside of the organization reads why", async () => {
  const github = { clientId: "the client", clientSecret: "the secret", fetch: scriptedGithub };
  const server = await startRepositoriesServer({ port: 0, ...github, allow: memberOf("octo-org") });
  const pages: string[] = [];
  const receive = async (url: URL) => {
    const { page, answer } = await logIn(url);
    pages.push(page);
    return answer;
  };
  const authorization = oauth({ redirect: { redirectUri, receive }, clientName: "example" });

  const connected = Client.connect({ url: server.url, authorization }, { name: "example", version: "1.0.0" });
  await expect(connected).rejects.toThrow();
  await server.close();

  expect(pages[0]).toContain("Only members of octo-org are allowed.");
});

test("the program prints its callback URL, and challenges who has not logged in", async () => {
  const env = { GITHUB_CLIENT_ID: "the client", GITHUB_CLIENT_SECRET: "the secret", GITHUB_ORGANIZATION: "octo-org" };
  await using program = examples.start("upstream-login", { env });
  const url = await program.url();

  expect((await fetch(url, { method: "POST" })).status).toBe(401);
  expect(await program.stop()).toBe(0);
  expect(program.output).toContain(`callback URL for GitHub: ${new URL("/login/callback/github", url)}`);
});

test("the program says what it needs", async () => {
  await using program = examples.start("upstream-login");
  expect(await program.exited()).toBe(1);
  expect(program.output).toContain("Set GITHUB_CLIENT_ID and GITHUB_CLIENT_SECRET");
});
