import { expect, it } from "vitest";
import { type CodeRequest, requestCode } from "./authorization-code.js";

const ISSUER = "https://login.example.com";

function request(respond: (url: URL, state: string) => Promise<URLSearchParams>, fields = {}): CodeRequest {
  const metadata = { issuer: ISSUER, authorization_endpoint: `${ISSUER}/authorize?tenant=1`, ...fields };
  const redirect = { redirectUri: "http://127.0.0.1/cb", receive: respond };
  const server = { issuer: ISSUER, metadata, isDescribed: false };
  const { signal } = new AbortController();
  return { server, clientId: "id", resource: "https://mcp.example.com/mcp", scopes: [], redirect, signal };
}

const answer = (fields: Record<string, string>) => async (_url: URL, state: string) =>
  new URLSearchParams({ state, ...fields });

it("keeps the query of the endpoint, and gives what redeems the code", async () => {
  const seen: URL[] = [];
  const code = await requestCode(
    request(async (url, state) => {
      seen.push(url);
      return new URLSearchParams({ state, code: "c" });
    }),
  );
  expect(seen[0]?.searchParams.get("tenant")).toBe("1");
  expect(seen[0]?.searchParams.has("scope")).toBe(false);
  expect(code).toMatchObject({ code: "c", redirect_uri: "http://127.0.0.1/cb" });
});

it.each([[{}], [{ code: "" }]])("refuses a response without a code: %o", async (fields) => {
  await expect(requestCode(request(answer(fields)))).rejects.toThrow("The authorization response has no code");
});

it("refuses parameters that come twice, and hybrid responses", async () => {
  const twice = request(async (_url, state) => new URLSearchParams(`state=${state}&code=a&code=b&iss=x&iss=y`));
  const error = await requestCode(twice).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: "authorization-failed" });
  // What the library throws holds the response, code included.
  expect(error).not.toHaveProperty("cause");
  const hybrid = request(answer({ code: "a", id_token: "b" }));
  await expect(requestCode(hybrid)).rejects.toThrow("implicit and hybrid flows are not supported");
});

it("says so if nobody can log in at the server", async () => {
  const missing = request(answer({ code: "c" }), { authorization_endpoint: undefined });
  await expect(requestCode(missing)).rejects.toThrow("has no authorization_endpoint");
});

it("shows an error without a description by its code", async () => {
  await expect(requestCode(request(answer({ error: "server_error" })))).rejects.toMatchObject({
    message: `${ISSUER} did not authorize this client: server_error`,
    cause: { code: "server_error", description: undefined },
  });
});

it("ends with its signal, whatever the receiver does", async () => {
  const controller = new AbortController();
  const hanging = { ...request(() => new Promise(() => undefined)), signal: controller.signal };
  const waiting = requestCode(hanging);
  controller.abort(new Error("enough"));
  await expect(waiting).rejects.toThrow("enough");
  await expect(requestCode(hanging)).rejects.toThrow("enough");
});
