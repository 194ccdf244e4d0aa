import { decodeJwt } from "jose";
import { expect, it } from "vitest";
import { DpopBinding } from "./dpop-binding.js";

const TOKEN_URL = new URL("https://login.example.com/token?x=1");

it("is restored from its stored key, and not from anything else", async () => {
  const key = await (await DpopBinding.create(Date.now)).exportKey();
  const restored = await DpopBinding.restore(key, Date.now);
  expect(await restored?.exportKey()).toEqual(key);
  expect(await DpopBinding.restore({ kty: "oct" }, Date.now)).toBeUndefined();
});

it("dates its proofs by the given clock", async () => {
  const created = await DpopBinding.create(() => 1_000_000);
  const restored = await DpopBinding.restore(await created.exportKey(), () => 2_000_000);
  expect(decodeJwt(await created.proof("POST", TOKEN_URL)).iat).toBe(1_000);
  expect(decodeJwt(`${await restored?.proof("POST", TOKEN_URL)}`).iat).toBe(2_000);
});

it("remembers the nonce of each origin, and no long one", async () => {
  const binding = await DpopBinding.create(Date.now);
  expect(binding.heard(TOKEN_URL, "one")).toBe(true);
  expect(binding.heard(TOKEN_URL, "one")).toBe(false);
  expect(binding.heard(TOKEN_URL, null)).toBe(false);
  expect(binding.heard(TOKEN_URL, "n".repeat(4_097))).toBe(false);
  expect(decodeJwt(await binding.proof("POST", TOKEN_URL)).nonce).toBe("one");
  expect(decodeJwt(await binding.proof("POST", new URL("https://mcp.example.com/"))).nonce).toBeUndefined();
});

it("sends a token request again for a nonce alone, and once", async () => {
  const binding = await DpopBinding.create(Date.now);
  const answers = [
    Response.json({ error: "use_dpop_nonce" }, { status: 400, headers: { "dpop-nonce": "a" } }),
    Response.json({ error: "use_dpop_nonce" }, { status: 400, headers: { "dpop-nonce": "b" } }),
    Response.json({ error: "invalid_grant" }, { status: 400, headers: { "dpop-nonce": "c" } }),
    Response.json({ access_token: "t" }, { headers: { "dpop-nonce": "d" } }),
  ];
  const nonces: unknown[] = [];
  const fetch = binding.fetch(async (_url, init = {}) => {
    nonces.push(decodeJwt(new Headers(init.headers).get("dpop") ?? "").nonce);
    return answers.shift() as Response;
  });
  const statuses: number[] = [];
  for (let turn = 0; turn < 3; turn++) statuses.push((await fetch(TOKEN_URL, { method: "POST" })).status);
  expect(statuses).toEqual([400, 400, 200]);
  expect(nonces).toEqual([undefined, "a", "b", "c"]);
  answers.push(Response.json({}));
  await fetch(TOKEN_URL);
  expect(nonces.at(-1)).toBe("d");
});
