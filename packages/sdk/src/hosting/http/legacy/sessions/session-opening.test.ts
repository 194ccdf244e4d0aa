import { expect, it } from "vitest";
import { FakeRequest, FakeResponse } from "../http-fakes.fixture.js";
import { SessionOpening } from "./session-opening.js";

it("fails an opening that will never be answered", () => {
  const request = new FakeRequest("POST");
  const response = new FakeResponse(request);
  let failures = 0;
  const opening = new SessionOpening(
    response,
    () => undefined,
    async () => ({}),
    () => {
      failures += 1;
    },
  );
  opening.skip();
  expect([response.status, failures]).toEqual([503, 1]);
});
