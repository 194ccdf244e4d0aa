import { expect, it } from "vitest";
import { Grants } from "./grants.js";
import { InMemoryAuthorizationStore } from "./in-memory-authorization-store.js";
import { Revocations } from "./revocations.js";
import { digest } from "./secrets.js";

const RESOURCE = "https://mcp.example/mcp";
const VERIFIER = "v".repeat(43);

async function setUp(maxRecords: number) {
  const now = () => 0;
  const store = new InMemoryAuthorizationStore({ maxRecords, now });
  const revocations = new Revocations({ store, now, keepMs: 600_000 });
  const grants = new Grants({ store, revocations, now, codeMs: 60_000, grantMs: 600_000, refreshIdleMs: 60_000 });
  const request = { redirectUri: "http://127.0.0.1/callback", challenge: await digest(VERIFIER) };
  const open = (subject: string) =>
    grants.open({ clientId: "app", subject, resource: RESOURCE, scopes: [], loggedInAt: 0 }, request);
  const redeem = (code = "") =>
    grants.redeem(code, {
      ...{ clientId: "app", redirectUri: request.redirectUri, resource: RESOURCE, verifier: VERIFIER },
      ...{ proof: undefined, wantsRefresh: true, bindsRefresh: false },
    });
  return { store, grants, open, redeem };
}

it("ends the oldest grant of a user with more than 100, and none of others", async () => {
  const { open, redeem } = await setUp(150);
  const bobs = await open("bob");
  const alices: string[] = [];
  for (let count = 0; count < 300; count += 1) alices.push(await open("alice"));

  expect(await redeem(bobs)).toMatchObject({ grant: { subject: "bob" } });
  expect(await redeem(alices[200])).toMatchObject({ grant: { subject: "alice" } });
  await expect(redeem(alices[199])).rejects.toMatchObject({ code: "invalid_grant" });
});

it("keeps the grants of others in a full store, however often they are refreshed and revoked", async () => {
  const { store, grants, open, redeem } = await setUp(4);
  const { refreshToken } = await redeem(await open("bob"));
  const refreshed = await grants.refresh(`${refreshToken}`, "app", undefined);
  for (let count = 0; count < 10; count += 1) {
    const { key } = await redeem(await open("alice"));
    await grants.end(key);
  }
  expect(await grants.find(`${refreshed.refreshToken}`)).toMatchObject({ owner: "bob" });
  const owners = store.entries().flatMap(({ table, owner }) => (table === "grants" ? [owner] : []));
  expect(owners).toEqual(["bob", "alice", "alice", "alice"]);
});
