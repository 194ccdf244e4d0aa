import { expect, test } from "vitest";
import { findBrowser } from "../scripts/browser.js";

const DEBIAN = "/usr/bin/chromium";

function machine(files: string[], { env = {} as Record<string, string>, mayInstall = false } = {}) {
  return {
    env,
    mayInstall,
    installs: 0,
    exists: (path: string) => files.includes(path),
    install() {
      this.installs += 1;
      files.push(DEBIAN);
    },
  };
}

test("a browser that is there is used, and nothing is installed", () => {
  const debian = machine([DEBIAN], { mayInstall: true });

  expect(findBrowser(debian)).toBe(DEBIAN);
  expect(debian.installs).toBe(0);
});

test("CHROMIUM_PATH goes before any other browser", () => {
  expect(findBrowser(machine([DEBIAN, "/opt/chrome"], { env: { CHROMIUM_PATH: "/opt/chrome" } }))).toBe("/opt/chrome");
});

test("a CHROMIUM_PATH without a browser is an error that names it", () => {
  const wrong = machine([DEBIAN], { env: { CHROMIUM_PATH: "/opt/chrome" }, mayInstall: true });
  expect(() => findBrowser(wrong)).toThrow("/opt/chrome");
});

test("Debian's is installed where that is permitted", () => {
  expect(findBrowser(machine([], { mayInstall: true, env: { CI: "true" } }))).toBe(DEBIAN);
});

test("without one, and without the right to install, there is none", () => {
  expect(findBrowser(machine([]))).toBeUndefined();
});

test("on a build server a missing browser is an error that says what to install", () => {
  expect(() => findBrowser(machine([], { env: { CI: "true" } }))).toThrow(/apt-get install chromium.*CHROMIUM_PATH/);
});
