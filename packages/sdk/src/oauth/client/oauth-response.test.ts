import { expect, it } from "vitest";
import { SdkError } from "../../errors/sdk-error.js";
import { OAuthError } from "../grammar/oauth-error.js";
import { authorizationFailed, printable, readOAuthResponse } from "./oauth-response.js";

const read = (body: string, status = 200) => readOAuthResponse("POST x", new Response(body, { status }));

it("reads a JSON object", async () => {
  expect(await read('{"a":1}')).toEqual({ a: 1 });
  expect(await read('{"a":1,"error":7}', 201)).toEqual({ a: 1, error: 7 });
});

it.each([400, 401, 500, 200])("reads the error of a response with status %i", async (status) => {
  const body = JSON.stringify({ error: "invalid_grant", error_description: "a\nb" });
  const error = await read(body, status).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(OAuthError);
  expect(error).toMatchObject({ code: "invalid_grant", description: "a b", status });
});

it("keeps what is no error of OAuth out of its message", async () => {
  await expect(read("<p>secret</p>", 502)).rejects.toMatchObject({ message: "POST x was answered with status 502" });
  await expect(read("secret")).rejects.toMatchObject({ message: "POST x: expected a JSON object in the response" });
  await expect(read("[]")).rejects.toMatchObject({ code: "authorization-failed", status: 200 });
  await expect(read('{"error":"","error_description":7}', 400)).rejects.toBeInstanceOf(SdkError);
  await expect(read('{"error":"x","error_description":7}', 400)).rejects.toMatchObject({ description: undefined });
});

it.each([
  ["cannot use eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhcHAifQ.c2ln, sorry", "cannot use …, sorry"],
  ["eyJhbGciOiJub25lIn0.e30.", "…"],
  ["eyJhbGciOiJkaXIifQ..aXY.Y2lwaGVy.dGFn is encrypted", "… is encrypted"],
  ["see eyJ.example or keyJ.a.b", "see eyJ.example or keyJ.a.b"],
  ["eyJ".repeat(300_000), "eyJ".repeat(300_000).slice(0, 500)],
])("takes assertions that a server repeats out of its error (%#)", async (given, description) => {
  const body = JSON.stringify({ error: "invalid_client", error_description: given });
  await expect(read(body, 401)).rejects.toMatchObject({ description });
});

it("takes assertions out of a code as well", async () => {
  const body = JSON.stringify({ error: "bad assertion eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhcHAifQ.c2ln" });
  await expect(read(body, 400)).rejects.toMatchObject({ code: "bad assertion …", message: "bad assertion …" });
});

it("prints one line of bounded length", () => {
  expect(printable(`a\r\n\u001b[31m\u0085é😀${"x".repeat(600)}`)).toMatch(/^a {3}\[31m é😀x+$/u);
  expect(printable("x".repeat(600))).toHaveLength(500);
});

it("makes one error of whatever was thrown", () => {
  const own = new SdkError("authorization-required", "own");
  expect(authorizationFailed("It failed", own)).toBe(own);
  expect(authorizationFailed("It failed", new Error("why")).message).toBe("It failed: why");
  expect(authorizationFailed("It failed", Object.assign(new Error("x"), { message: "" })).message).toBe("It failed");
  expect(authorizationFailed("It failed", "text")).toMatchObject({ message: "It failed", cause: "text" });
  expect(authorizationFailed("It failed", new OAuthError("x", "y", { status: 400 })).status).toBe(400);
});
