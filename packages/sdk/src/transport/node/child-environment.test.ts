import { expect, it } from "vitest";
import { childEnvironment } from "./child-environment.js";

it("passes on what programs need, and neither keys nor exported functions", () => {
  const own = { PATH: "/bin", HOME: "/root-of-me", LANG: "()  { evil; }", API_KEY: "secret", SystemRoot: "C:" };
  expect(childEnvironment({}, own, "linux")).toEqual({ PATH: "/bin", HOME: "/root-of-me" });
});

it("knows what Windows needs", () => {
  const own = { PATH: "C:\\bin", SYSTEMROOT: "C:\\Windows", HOME: "/root-of-me", API_KEY: "secret" };
  expect(childEnvironment({}, own, "win32")).toEqual({ PATH: "C:\\bin", SYSTEMROOT: "C:\\Windows" });
});

it("lets the caller add, replace and leave out", () => {
  const own = { PATH: "/bin", HOME: "/root-of-me" };
  const given = { API_KEY: "given", PATH: "/other", HOME: undefined };
  expect(childEnvironment(given, own, "linux")).toEqual({ API_KEY: "given", PATH: "/other" });
  expect(childEnvironment().PATH).toBe(process.env.PATH);
});
