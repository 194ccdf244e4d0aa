import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { oauth } from "parley-mcp/oauth";
import { FileCredentialStore, loopbackRedirect } from "parley-mcp/oauth/node";
import { expect } from "vitest";
import { ScriptedAuthorizationServer } from "../../src/oauth/scripted-authorization-server.js";
import { credentialProgram } from "../../src/stdio/raw-lines.js";
import { verifies } from "../../src/verifies.js";

/** A folder for credentials that goes with the test. */
async function temporaryFolder() {
  const parent = await mkdtemp(join(tmpdir(), "parley-credentials-"));
  return {
    folder: join(parent, "credentials"),
    [Symbol.asyncDispose]: () => rm(parent, { recursive: true, force: true }),
  };
}

/** The response that a browser would bring back from the login at a URL. */
function response(url: URL, fields: Record<string, string>): string {
  const redirect = new URL(url.searchParams.get("redirect_uri") ?? "");
  const state = url.searchParams.get("state") ?? "";
  redirect.search = new URLSearchParams({ state, iss: "https://login.example.com", ...fields }).toString();
  return redirect.href;
}

verifies(
  "client-auth:loopback:login",
  "a login through a loopback redirect ends with a page in the browser and a token in the client",
  async () => {
    const server = new ScriptedAuthorizationServer();
    const visits: Promise<Response>[] = [];
    await using redirect = await loopbackRedirect({
      open: (url) => void visits.push(fetch(response(url, { code: "code" }))),
    });
    const client = await server.connect(server.oauth({ redirect }));
    await client.close();
    const page = await visits[0];

    expect(redirect.redirectUri).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
    expect(server.to("/token")[0]?.form.get("redirect_uri")).toBe(redirect.redirectUri);
    expect(page?.status).toBe(200);
    expect(page?.headers.get("cache-control")).toBe("no-store");
    expect(await page?.text()).toContain("return to the program");
  },
);

verifies(
  "client-auth:loopback:foreign-response",
  "responses that belong to no login are refused, and the right one is still received",
  async () => {
    const server = new ScriptedAuthorizationServer();
    const statuses: Promise<number[]>[] = [];
    const visit = async (urls: string[]) => {
      const seen: number[] = [];
      for (const url of urls) seen.push((await fetch(url)).status);
      return seen;
    };
    await using redirect = await loopbackRedirect({
      open: (url) => {
        const guessed = response(url, { code: "evil", state: "guessed" });
        const elsewhere = new URL("/favicon.ico", guessed).href;
        statuses.push(visit([guessed, elsewhere, response(url, { code: "code" })]));
      },
    });
    const client = await server.connect(server.oauth({ redirect }));
    await client.close();

    expect(await statuses[0]).toEqual([400, 404, 200]);
    expect(server.to("/token").map(({ form }) => form.get("code"))).toEqual(["code"]);
  },
);

verifies("client-auth:file-store:private", "nobody but the owner can open the folder or a file in it", async () => {
  await using place = await temporaryFolder();
  const server = new ScriptedAuthorizationServer();
  const client = await server.connect(server.oauth({ store: new FileCredentialStore(place) }));
  await client.close();

  const files = await readdir(place.folder);
  expect(files.length).toBeGreaterThan(0);
  expect((await stat(place.folder)).mode & 0o777).toBe(0o700);
  for (const file of files) {
    expect((await stat(join(place.folder, file))).mode & 0o777).toBe(0o600);
    expect(file).toMatch(/^[0-9a-f]{64}\.json$/);
  }
});

verifies("client-auth:file-store:survives", "a second authorization with the folder needs no login", async () => {
  await using place = await temporaryFolder();
  const server = new ScriptedAuthorizationServer();
  for (let run = 0; run < 2; run++) {
    const client = await server.connect(server.oauth({ store: new FileCredentialStore(place) }));
    await client.close();
  }

  expect(server.logins).toHaveLength(1);
  expect(server.to("/register")).toHaveLength(1);
});

verifies(
  "client-auth:file-store:killed",
  "a process that is killed before or after its new token has a name loses neither the token nor the lock for good",
  // The lock of a process that was killed is taken over after ten seconds.
  { deadlineMs: 40_000 },
  async () => {
    const [before, after] = [JSON.stringify({ refresh: "before" }), JSON.stringify({ refresh: "after" })];
    const kill = async (dies: string) => {
      await using place = await temporaryFolder();
      const store = new FileCredentialStore(place);
      await store.set("key", before);
      const { command, args } = credentialProgram({ ...place, key: "key", value: after, dies });
      const [, signal] = await once(spawn(command, args, { stdio: "inherit" }), "exit");
      return [signal, await store.get("key"), await store.withLock("key", () => store.get("key"))];
    };
    const outcomes = await Promise.all([kill("before"), kill("after")]);

    expect(outcomes[0]).toEqual(["SIGKILL", before, before]);
    expect(outcomes[1]).toEqual(["SIGKILL", after, after]);
  },
);

verifies(
  "client-auth:file-store:corrupt",
  "a file that was cut off is reported, and the user logs in again",
  async () => {
    await using place = await temporaryFolder();
    const server = new ScriptedAuthorizationServer();
    const errors: Error[] = [];
    const connect = () =>
      server.connect(
        server.oauth({ store: new FileCredentialStore({ ...place, onError: (error) => errors.push(error) }) }),
      );
    await (await connect()).close();
    for (const file of await readdir(place.folder)) await writeFile(join(place.folder, file), '{"access_token":"acc');
    await (await connect()).close();

    expect(server.logins).toHaveLength(2);
    expect(errors.length).toBeGreaterThan(0);
    expect(String(errors[0])).toContain("log in again");
    expect(String(errors[0])).not.toContain('acc"');
  },
);

verifies("client-auth:durations", "a timeout that no timer can hold is refused with the possible range", async () => {
  const redirect = { redirectUri: "http://127.0.0.1:3000/callback", receive: async () => new URLSearchParams() };
  for (const ms of [Number.POSITIVE_INFINITY, Number.NaN, -1, 0, 2 ** 31]) {
    const invalid = (name: string) =>
      expect.objectContaining({
        code: "invalid-argument",
        message: `${name}: expected milliseconds from 1 to 2147483647, got ${ms}`,
      });
    expect(() => oauth({ redirect, loginTimeoutMs: ms })).toThrow(invalid("loginTimeoutMs"));
    expect(() => new FileCredentialStore({ folder: "./credentials", lockTimeoutMs: ms })).toThrow(
      invalid("lockTimeoutMs"),
    );
    await expect(loopbackRedirect({ open: () => {}, timeoutMs: ms })).rejects.toEqual(invalid("timeoutMs"));
  }
});
