/** What `npm start -- --protected` does: a client of another implementation logs in through the pages. */
import { type OAuthClientProvider, UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { OAuthClientInformationMixed, OAuthTokens } from "@modelcontextprotocol/sdk/shared/auth.js";
import { afterAll, expect, test } from "vitest";
import { CompiledExamples } from "../testing/compiled-examples.js";

const REDIRECT = "http://127.0.0.1:4000/callback";

const examples = new CompiledExamples();
afterAll(() => examples[Symbol.dispose]());

/** Keeps what the client wants kept, and where it would send the browser. */
class TestProvider implements OAuthClientProvider {
  readonly redirectUrl = REDIRECT;
  readonly clientMetadata = {
    client_name: "Another client",
    redirect_uris: [REDIRECT],
    grant_types: ["authorization_code", "refresh_token"],
    token_endpoint_auth_method: "none",
  };
  browserUrl: URL | undefined;
  saved: OAuthTokens | undefined;
  #client: OAuthClientInformationMixed | undefined;
  #verifier = "";

  clientInformation(): OAuthClientInformationMixed | undefined {
    return this.#client;
  }

  saveClientInformation(client: OAuthClientInformationMixed): void {
    this.#client = client;
  }

  tokens(): OAuthTokens | undefined {
    return this.saved;
  }

  saveTokens(tokens: OAuthTokens): void {
    this.saved = tokens;
  }

  redirectToAuthorization(url: URL): void {
    this.browserUrl = url;
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }
}

/** The code that the client gets once the user has logged in and allowed it. */
async function codeFrom(url: URL, username: string, password: string): Promise<string> {
  const loginPage = await fetch(url);
  const cookie = `${loginPage.headers.get("set-cookie")}`.split(";", 1)[0] ?? "";
  const consentPage = await submit(url, await loginPage.text(), cookie, { username, password });
  const answer = await submit(url, await consentPage.text(), cookie, { decision: "allow" });
  return `${new URL(`${answer.headers.get("location")}`).searchParams.get("code")}`;
}

function submit(url: URL, page: string, cookie: string, fields: Record<string, string>): Promise<Response> {
  const action = `${/<form method="post" action="([^"]*)"/.exec(page)?.[1]}`;
  const hidden = [...page.matchAll(/type="hidden" name="([^"]*)" value="([^"]*)"/g)];
  const values = Object.fromEntries(hidden.map(([, name = "", value = ""]) => [name, value]));
  const body = new URLSearchParams({ ...values, ...fields });
  return fetch(new URL(action, url), { method: "POST", body, headers: { cookie }, redirect: "manual" });
}

test("the official client registers, logs in as the user that was printed, and calls a tool", async () => {
  await using program = examples.start("start", { args: ["--protected"] });
  const url = new URL(await program.url());
  const user = await program.printed(/Log in as "([^"]*)"/);
  const password = await program.printed(/with password "([^"]*)"/);
  const authProvider = new TestProvider();
  const connect = async () => {
    const client = new Client({ name: "another", version: "1.0.0" });
    const transport = new StreamableHTTPClientTransport(url, { authProvider });
    await client.connect(transport as Parameters<Client["connect"]>[0]);
    return client;
  };

  await expect(connect()).rejects.toThrow(UnauthorizedError);
  if (!authProvider.browserUrl) throw new Error("expected the client to open a browser");
  const code = await codeFrom(authProvider.browserUrl, user, password);
  await new StreamableHTTPClientTransport(url, { authProvider }).finishAuth(code);
  const client = await connect();
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toContain("add_note");
  await client.close();
});

test("nobody gets in without a token, and the program says who may log in", async () => {
  await using program = examples.start("start", { args: ["--protected"] });
  const url = await program.url();
  const refused = await fetch(url, { method: "POST", body: "{}", headers: { "content-type": "application/json" } });
  expect(refused.status).toBe(401);
  expect(refused.headers.get("www-authenticate")).toContain("resource_metadata=");
  expect(await program.printed(/Log in as "([^"]*)" with password "[\w-]{12}"/)).toBe("guest");
  expect(await program.printed(/check it +npx parley-check --login (\S+)/)).toBe(url);
});

test("it refuses options that it does not have", async () => {
  await using program = examples.start("start", { args: ["--open"] });
  expect(await program.exited()).toBe(1);
  expect(program.output).toBe("Unknown option '--open'. The options are --protected and --workers <number>\n");
});
