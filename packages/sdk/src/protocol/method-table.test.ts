import { describe, expect, test } from "vitest";
import {
  findNotification,
  findRequest,
  hasBatches,
  hasCapability,
  hasContentType,
  isSpecMethod,
  requiredResultFields,
} from "./method-table.js";
import { NOTIFICATIONS } from "./notification-table.js";
import { REQUESTS } from "./request-table.js";
import { LEGACY_REVISIONS, REVISIONS, type Revision } from "./revisions.js";

/** As a peer could name one that is not known here. */
const unknownRevision = "1999-12-31" as Revision;

describe("findRequest", () => {
  test.each<[string, "client" | "server", readonly Revision[]]>([
    ["initialize", "client", LEGACY_REVISIONS],
    ["ping", "client", LEGACY_REVISIONS],
    ["ping", "server", LEGACY_REVISIONS],
    ["tools/call", "client", REVISIONS],
    ["tools/call", "server", []],
    ["completion/complete", "client", REVISIONS],
    ["resources/subscribe", "client", LEGACY_REVISIONS],
    ["logging/setLevel", "client", LEGACY_REVISIONS],
    ["server/discover", "client", ["2026-07-28"]],
    ["subscriptions/listen", "client", ["2026-07-28"]],
    ["sampling/createMessage", "server", LEGACY_REVISIONS],
    ["roots/list", "server", LEGACY_REVISIONS],
    ["elicitation/create", "server", ["2025-06-18", "2025-11-25"]],
    ["elicitation/create", "client", []],
    ["tasks/get", "client", ["2025-11-25"]],
    ["tasks/result", "server", ["2025-11-25"]],
    ["constructor", "client", []],
    ["__proto__", "client", []],
  ])("%s from the %s exists in its revisions alone", (method, sender, revisions) => {
    expect(REVISIONS.filter((revision) => findRequest(revision, sender, method))).toEqual(revisions);
  });

  test("a modern server sends no requests at all", () => {
    const methods = REQUESTS.map(({ method }) => method);
    expect(methods.filter((method) => findRequest("2026-07-28", "server", method))).toEqual([]);
  });

  test("gives the capability that the receiver needs", () => {
    const needs = (sender: "client" | "server"): Record<string, string | undefined> =>
      Object.fromEntries(
        REQUESTS.flatMap(({ method }) => findRequest("2025-11-25", sender, method) ?? []).map((spec) => [
          spec.method,
          spec.capability,
        ]),
      );
    const tasks = {
      "tasks/get": "tasks",
      "tasks/result": "tasks",
      "tasks/cancel": "tasks.cancel",
      "tasks/list": "tasks.list",
    };
    expect(needs("client")).toStrictEqual({
      initialize: undefined,
      ping: undefined,
      "tools/list": "tools",
      "tools/call": "tools",
      "resources/list": "resources",
      "resources/templates/list": "resources",
      "resources/read": "resources",
      "resources/subscribe": "resources.subscribe",
      "resources/unsubscribe": "resources",
      "prompts/list": "prompts",
      "prompts/get": "prompts",
      "completion/complete": "completions",
      "logging/setLevel": "logging",
      ...tasks,
    });
    expect(needs("server")).toStrictEqual({
      ping: undefined,
      "sampling/createMessage": "sampling",
      "roots/list": "roots",
      "elicitation/create": "elicitation",
      ...tasks,
    });
  });

  test("completion needs a capability in all revisions but the first, which has none for it", () => {
    const needed = REVISIONS.map((revision) => findRequest(revision, "client", "completion/complete")?.capability);
    expect(needed).toEqual([undefined, "completions", "completions", "completions", "completions"]);
  });

  test("modern discovery and listening need no capability", () => {
    expect(findRequest("2026-07-28", "client", "server/discover")?.capability).toBeUndefined();
    expect(findRequest("2026-07-28", "client", "subscriptions/listen")?.capability).toBeUndefined();
  });

  test("six requests are cacheable, three may require input", () => {
    const modern = REQUESTS.filter(({ method }) => findRequest("2026-07-28", "client", method));
    expect(new Set(modern.filter(({ cacheable }) => cacheable).map(({ method }) => method))).toEqual(
      new Set([
        "server/discover",
        "tools/list",
        "prompts/list",
        "resources/list",
        "resources/templates/list",
        "resources/read",
      ]),
    );
    expect(new Set(modern.filter(({ mayRequireInput }) => mayRequireInput).map(({ method }) => method))).toEqual(
      new Set(["tools/call", "prompts/get", "resources/read"]),
    );
  });

  test("knows nothing of an unknown revision", () => {
    expect(findRequest(unknownRevision, "client", "tools/list")).toBeUndefined();
  });
});

describe("findNotification", () => {
  test.each<[string, "client" | "server", readonly Revision[], string | undefined]>([
    ["notifications/initialized", "client", LEGACY_REVISIONS, undefined],
    ["notifications/cancelled", "client", REVISIONS, undefined],
    ["notifications/cancelled", "server", REVISIONS, undefined],
    ["notifications/progress", "client", LEGACY_REVISIONS, undefined],
    ["notifications/progress", "server", REVISIONS, undefined],
    ["notifications/roots/list_changed", "client", LEGACY_REVISIONS, "roots.listChanged"],
    ["notifications/tools/list_changed", "server", REVISIONS, "tools.listChanged"],
    ["notifications/prompts/list_changed", "server", REVISIONS, "prompts.listChanged"],
    ["notifications/resources/list_changed", "server", REVISIONS, "resources.listChanged"],
    ["notifications/resources/updated", "server", REVISIONS, "resources.subscribe"],
    ["notifications/message", "server", REVISIONS, "logging"],
    ["notifications/elicitation/complete", "server", ["2025-11-25"], undefined],
    ["notifications/tasks/status", "client", ["2025-11-25"], "tasks"],
    ["notifications/tasks/status", "server", ["2025-11-25"], "tasks"],
    ["notifications/subscriptions/acknowledged", "server", ["2026-07-28"], undefined],
  ])("%s from the %s exists in its revisions alone", (method, sender, revisions, capability) => {
    const found = REVISIONS.flatMap((revision) => findNotification(revision, sender, method) ?? []);
    expect(REVISIONS.filter((revision) => findNotification(revision, sender, method))).toEqual(revisions);
    expect(new Set(found.map((spec) => spec.capability))).toEqual(new Set([capability]));
  });

  test("knows nothing of an unknown revision", () => {
    expect(findNotification(unknownRevision, "client", "notifications/cancelled")).toBeUndefined();
  });
});

test("no two rows of one sender hold in the same revision", () => {
  for (const rows of [REQUESTS, NOTIFICATIONS]) {
    for (const revision of REVISIONS) {
      const held = rows.filter(({ since, until = "9999" }) => since <= revision && revision <= until);
      const names = held.map(({ sender, method }) => `${sender} ${method}`);
      expect(new Set(names).size, revision).toBe(names.length);
    }
  }
});

test("a method that any revision knows is no custom one", () => {
  expect(["initialize", "server/discover", "roots/list", "notifications/message"].every(isSpecMethod)).toBe(true);
  expect(["acme/do", "tools", "", "toString", "__proto__"].some(isSpecMethod)).toBe(false);
});

test("requiredResultFields adds what every modern result carries", () => {
  expect(requiredResultFields("2025-11-25", "tools/list")).toEqual(["tools"]);
  expect(requiredResultFields("2026-07-28", "tools/list")).toEqual(["tools", "resultType", "ttlMs", "cacheScope"]);
  expect(requiredResultFields("2026-07-28", "tools/call")).toEqual(["content", "resultType"]);
  expect(requiredResultFields("2025-11-25", "ping")).toEqual([]);
  expect(requiredResultFields("2025-11-25", "acme/do")).toEqual([]);
  expect(requiredResultFields("2026-07-28", "acme/do")).toEqual(["resultType"]);
  expect(requiredResultFields(unknownRevision, "tools/list")).toEqual([]);
});

describe("hasCapability", () => {
  test.each<[object, string, boolean]>([
    [{ tools: {} }, "tools", true],
    [{ tools: {} }, "tools.listChanged", false],
    [{ tools: { listChanged: true } }, "tools.listChanged", true],
    [{ tools: { listChanged: false } }, "tools.listChanged", false],
    [{ tools: undefined }, "tools", false],
    [{ tools: null }, "tools", false],
    [{}, "tools", false],
    [{ tools: true }, "tools.listChanged", false],
    [{ tasks: { requests: { tools: { call: {} } } } }, "tasks.requests.tools.call", true],
    [{}, "constructor", false],
    [{ tools: {} }, "tools.toString", false],
    [JSON.parse('{"__proto__": {"tools": {}}}'), "tools", false],
  ])("%j: %s is %s", (capabilities, path, expected) => {
    expect(hasCapability(capabilities, path)).toBe(expected);
  });

  test.each<[object, boolean, boolean]>([
    [{}, false, false],
    [{ elicitation: {} }, true, false],
    [{ elicitation: { form: {} } }, true, false],
    [{ elicitation: { url: {} } }, false, true],
    [{ elicitation: { form: {}, url: {} } }, true, true],
  ])("%j: forms are %s, pages %s", (capabilities, form, url) => {
    expect(hasCapability(capabilities, "elicitation.form")).toBe(form);
    expect(hasCapability(capabilities, "elicitation.url")).toBe(url);
  });
});

test("batches exist in 2025-03-26 alone", () => {
  expect(REVISIONS.filter(hasBatches)).toEqual(["2025-03-26"]);
});

test.each<[string, number]>([
  ["text", 5],
  ["image", 5],
  ["resource", 5],
  ["audio", 4],
  ["resource_link", 3],
  ["tool_use", 2],
  ["tool_result", 2],
  ["video", 0],
  ["constructor", 0],
])("content of type %s exists in the latest %i revisions", (type, count) => {
  expect(REVISIONS.filter((revision) => hasContentType(revision, type))).toEqual(
    REVISIONS.slice(REVISIONS.length - count),
  );
});
