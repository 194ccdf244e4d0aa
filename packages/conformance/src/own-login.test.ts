/** `--login` against the protected server of this repository, with a user who follows the printed URL. Needs the built SDK. */
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { McpServer } from "parley-mcp";
import { serveHttp } from "parley-mcp/node";
import { protectedResource } from "parley-mcp/oauth/resource";
import { authorizationServer, hashPassword } from "parley-mcp/oauth/server";
import { expect, onTestFinished, test } from "vitest";
import { runCommand } from "./cli/command.js";
import { listenHttp } from "./wire/http-listener.js";
import { logIn } from "./wire/login-process.js";

const PASSWORD = "correct horse battery staple";

interface ProtectedServer {
  readonly url: string;
  /** Tokens that the server accepted. */
  readonly tokens: Set<string>;
}

const OPERATOR_CLIENT = {
  clientId: "operator-client",
  clientSecret: "operator secret of 32 characters",
  redirectUris: ["http://127.0.0.1/callback"],
};

/** With an operator's client, others cannot register. */
async function serveProtected(clients: readonly (typeof OPERATOR_CLIENT)[] = []): Promise<ProtectedServer> {
  const { origin, port } = await freeOrigin();
  const url = `${origin}/mcp`;
  const users = [{ subject: "alice", passwordHash: await hashPassword(PASSWORD) }];
  const login = authorizationServer({
    issuer: origin,
    resources: [{ resource: url, scopes: ["mcp"] }],
    users,
    clients,
    registration: clients.length === 0,
  });
  const tokens = new Set<string>();
  const verifier: typeof login.verifyAccessToken = async (...given) => {
    const facts = await login.verifyAccessToken(...given);
    tokens.add(String(given[0]));
    return facts;
  };
  const { close } = await serveHttp(new McpServer({ name: "own", version: "1.0.0" }), {
    port: Number(port),
    path: "/mcp",
    authorization: protectedResource({ resource: url, issuer: origin, verifier, requiredScopes: ["mcp"] }),
    routes: [login.handle],
  });
  onTestFinished(() => close());
  return { url, tokens };
}

/** A port that is free a moment later. The issuer is part of the metadata, so it must be known before. */
async function freeOrigin(): Promise<URL> {
  await using listener = await listenHttp(() => ({ status: 404, headers: {}, body: "" }));
  return new URL(listener.origin);
}

/** Logs in at a page, allows what it asks for, and follows the redirect back. */
async function followLogin(page: string): Promise<void> {
  const cookies = new Map<string, string>();
  const go = async (url: URL, body?: URLSearchParams): Promise<{ url: URL; text: string }> => {
    const cookie = [...cookies].map((pair) => pair.join("=")).join("; ");
    const init = { headers: { cookie }, redirect: "manual", ...(body ? { method: "POST", body } : {}) } as const;
    const response = await fetch(url, init);
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const next = response.headers.get("location");
    return next === null ? { url, text: await response.text() } : go(new URL(next, url));
  };
  const submit = ({ url, text }: { url: URL; text: string }, fields: Record<string, string>) => {
    const action = /<form method="post" action="([^"]*)"/.exec(text)?.[1] ?? "";
    const hidden = [...text.matchAll(/type="hidden" name="([^"]*)" value="([^"]*)"/g)].map(([, ...pair]) => pair);
    return go(new URL(action, url), new URLSearchParams({ ...Object.fromEntries(hidden), ...fields }));
  };
  const consent = await submit(await go(new URL(page)), { username: "alice", password: PASSWORD });
  await submit(consent, { decision: "allow" });
}

/** Runs the command. `user` gets the URL that is printed. */
async function run(argv: readonly string[], user: (page: string) => Promise<void>, env: NodeJS.ProcessEnv = {}) {
  let output = "";
  let complaints = "";
  const visits: Promise<void>[] = [];
  const code = await runCommand({
    argv,
    env: { ...process.env, ...env },
    print: (text) => {
      output += text;
    },
    complain: (text) => {
      complaints += text;
      const page = /^Log in at (\S+)$/m.exec(text)?.[1];
      if (page !== undefined) visits.push(user(page));
    },
    isTerminal: false,
  });
  await Promise.all(visits);
  return { code, output, complaints };
}

test("a protected server is checked with the token of a login, which no output shows", async () => {
  const { url, tokens } = await serveProtected();
  const file = join(mkdtempSync(join(tmpdir(), "parley-check-login-")), "run.jsonl");
  const options = ["--only", "authorization,discovery", "--format", "json", "--record", file];

  const { code, output, complaints } = await run(["--login", url, ...options], followLogin);

  expect(complaints).toMatch(/^Log in at http:\/\/127\.0\.0\.1/);
  expect(code).toBe(0);
  const { findings } = JSON.parse(output) as { findings: { check: string; outcome: string }[] };
  expect(findings.find(({ check }) => check === "auth-challenge")?.outcome).toBe("passed");
  expect(findings.filter(({ outcome }) => outcome === "failed")).toEqual([]);
  const shown = output + complaints + readFileSync(file, "utf8");
  expect(tokens.size).toBeGreaterThan(0);
  expect([...tokens].filter((token) => shown.includes(token))).toEqual([]);
});

test("--login-client logs in as a client of the operator, with the secret of the environment", async () => {
  const { url, tokens } = await serveProtected([OPERATOR_CLIENT]);
  const { clientId, clientSecret } = OPERATOR_CLIENT;
  const pages: URL[] = [];
  const user = (page: string) => {
    pages.push(new URL(page));
    return followLogin(page);
  };

  const argv = ["--login", "--login-client", clientId, url, "--only", "discovery"];
  const { code, output, complaints } = await run(argv, user, { PARLEY_CHECK_CLIENT_SECRET: clientSecret });

  expect(code).toBe(0);
  expect(pages.map(({ searchParams }) => searchParams.get("client_id"))).toEqual([clientId]);
  expect(tokens.size).toBeGreaterThan(0);
  expect(output + complaints).not.toContain(clientSecret);
});

test("--login-client with a wrong secret ends with 2", async () => {
  const { url } = await serveProtected([OPERATOR_CLIENT]);

  const argv = ["--login", "--login-client", OPERATOR_CLIENT.clientId, url];
  const { code, complaints } = await run(argv, followLogin, { PARLEY_CHECK_CLIENT_SECRET: "wrong" });

  expect(complaints).toContain("the login failed");
  expect(code).toBe(2);
});

test("a login that nobody finishes ends with 2 and says so", async () => {
  const { url } = await serveProtected();

  const { code, complaints } = await run(["--login", "--login-timeout", "1", url], async () => undefined);

  expect(complaints).toMatch(/nobody logged in within 1/);
  expect(code).toBe(2);
});

test("a server that wants no token says that --login is not needed", async () => {
  const { url, close } = await serveHttp(new McpServer({ name: "own", version: "1.0.0" }), { port: 0 });
  onTestFinished(() => close());

  const { code, complaints } = await run(["--login", String(url)], followLogin);

  expect(complaints).toContain("HTTP 200 without a login; leave --login out");
  expect(code).toBe(2);
});

test("--login without a URL says what to write", async () => {
  const { code, complaints } = await run(["--login", "--", "node", "server.js"], followLogin);

  expect(complaints).toContain("--login takes the URL of a server");
  expect(code).toBe(2);
});

/** A folder with the login program and without the SDK. */
function copiedProgram(): string {
  const folder = mkdtempSync(join(tmpdir(), "parley-check-login-"));
  const program = join(folder, "login.mjs");
  writeFileSync(program, readFileSync(new URL("../bin/login.js", import.meta.url)));
  return program;
}

test("without parley-mcp the login says what to install", async () => {
  const program = copiedProgram();
  const options = { url: "https://example.com/mcp", timeoutMs: 30_000, clientId: undefined, complain: () => undefined };
  const cwd = process.cwd();
  process.chdir(tmpdir());
  onTestFinished(() => process.chdir(cwd));

  await expect(logIn({ ...options, env: process.env, program })).rejects.toThrow("npm install parley-mcp");
});
