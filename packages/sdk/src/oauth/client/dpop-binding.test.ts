import { decodeJwt } from "jose";
import { describe, expect, it } from "vitest";
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

describe("a proof that is refused for its time", () => {
  const NOW = 1_800_000_000_000;
  const at = (ms: number) => new Date(ms).toUTCString();

  /** The times of the proofs that a token endpoint got, whose clock says `dates` in turn and which refuses all proofs. */
  async function proofsTo(...dates: (string | undefined)[]) {
    const binding = await DpopBinding.create(() => NOW);
    const times: unknown[] = [];
    const fetch = binding.fetch(async (_url, init = {}) => {
      times.push(Number(decodeJwt(new Headers(init.headers).get("dpop") ?? "").iat) - NOW / 1_000);
      const date = dates[times.length - 1];
      const headers = date === undefined ? {} : { date };
      return Response.json({ error: "invalid_dpop_proof" }, { status: 400, headers });
    });
    expect((await fetch(TOKEN_URL, { method: "POST" })).status).toBe(400);
    return { binding, fetch, times };
  }

  it("is made again at the time of the server, once for each request", async () => {
    const { binding, fetch, times } = await proofsTo(at(NOW + 7_200_000), at(NOW + 7_210_000), at(NOW + 7_220_000));
    expect(times).toEqual([0, 7_200]);
    await fetch(TOKEN_URL, { method: "POST" });
    expect(times).toEqual([0, 7_200, 7_200]);
    const elsewhere = await binding.proof("POST", new URL("https://mcp.example.com/"));
    expect(decodeJwt(elsewhere).iat).toBe(NOW / 1_000);
  });

  it("is made again when the clocks differ otherwise later, and when they agree again", async () => {
    const { fetch, times } = await proofsTo(
      ...[at(NOW + 3_600_000), at(NOW + 3_600_000)],
      ...[at(NOW - 3_600_000), at(NOW - 3_600_000)],
      ...[at(NOW), at(NOW)],
    );
    for (let turn = 0; turn < 2; turn++) await fetch(TOKEN_URL, { method: "POST" });
    expect(times).toEqual([0, 3_600, 3_600, -3_600, -3_600, 0]);
  });

  it.each([
    ["no date", undefined],
    ["a date that is none", "soon"],
    ["the same time", at(NOW + 29_000)],
    ["a time more than a day away", at(NOW - 86_401_000)],
  ])("is not made again for %s", async (_what, date) => {
    expect((await proofsTo(date)).times).toEqual([0]);
  });

  it("is made again up to a day away", async () => {
    expect((await proofsTo(at(NOW - 86_400_000))).times).toEqual([0, -86_400]);
  });

  it("and before that for its nonce is made three times", async () => {
    const binding = await DpopBinding.create(() => NOW);
    const refusals = ["use_dpop_nonce", "invalid_dpop_proof"];
    const shown: unknown[] = [];
    const fetch = binding.fetch(async (_url, init = {}) => {
      const { iat, nonce } = decodeJwt(new Headers(init.headers).get("dpop") ?? "");
      shown.push([Number(iat) - NOW / 1_000, nonce]);
      const headers = { "dpop-nonce": "n", date: at(NOW + 3_600_000) };
      const error = refusals.shift();
      return Response.json({ error }, { status: error === undefined ? 200 : 400, headers });
    });
    expect((await fetch(TOKEN_URL, { method: "POST" })).status).toBe(200);
    expect(shown).toEqual([
      [0, undefined],
      [0, "n"],
      [3_600, "n"],
    ]);
  });
});
