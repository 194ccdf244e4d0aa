import { expect, it } from "vitest";
import { z } from "zod";
import { defineExtension } from "./extension.js";
import { defineListenFilter, honoredValue } from "./listen-filter-definition.js";
import { defineNotification } from "./method-definition.js";

const jobChanged = defineNotification("notifications/acme/job", {
  params: z.object({ jobId: z.string(), at: z.string().transform((text) => new Date(text)) }),
});
const config = {
  filter: z.array(z.string()),
  notification: jobChanged,
  topicOf: ({ jobId }: { jobId: string }) => jobId,
};
const jobIds = defineListenFilter("acmeJobIds", config);

it.each(["", "1st", "with space", "__proto__"])("refuses the name %j", (name) => {
  expect(() => defineListenFilter(name, config)).toThrow(
    expect.objectContaining({ code: "invalid-argument", message: expect.stringContaining("expected a letter") }),
  );
});

it("refuses the names of the specification", () => {
  for (const name of ["toolsListChanged", "promptsListChanged", "resourcesListChanged", "resourceSubscriptions"]) {
    expect(() => defineListenFilter(name, config)).toThrow(/the specification has a filter of this name/);
  }
});

it("reads its own changes, and no others", () => {
  const change = jobIds.toChange({ jobId: "j1", at: "2026-07-28T00:00:00Z", _meta: { any: 1 } });
  expect(change).toMatchObject({ kind: "extension", filter: "acmeJobIds", topic: "j1" });
  expect(jobIds.read(change)?.at.getUTCFullYear()).toBe(2026);
  expect(defineListenFilter("other", config).read(change)).toBeUndefined();
  expect(jobIds.read({ kind: "tools" })).toBeUndefined();
});

it("refuses params that do not match the notification's schema", () => {
  expect(() => jobIds.toChange({ jobId: 7 })).toThrow(
    expect.objectContaining({ code: "invalid-message", message: expect.stringContaining("params.jobId") }),
  );
});

it("refuses schemas that validate asynchronously", () => {
  const slow = defineNotification("notifications/acme/slow", { params: z.object({}).refine(async () => true) });
  const filter = defineListenFilter("acmeSlow", { ...config, notification: slow, topicOf: () => "" });
  expect(() => filter.toChange({})).toThrow(/validates asynchronously/);
});

it("finds its honored part", () => {
  const part = honoredValue(jobIds, ["j1"]);
  expect(jobIds.honoredIn({ extensions: [part] })).toEqual(["j1"]);
  expect(jobIds.honoredIn({ extensions: [] })).toBeUndefined();
  expect(jobIds.honoredIn({})).toBeUndefined();
  expect(() => honoredValue(jobIds, [1])).toThrow(
    expect.objectContaining({
      code: "invalid-result",
      message: expect.stringContaining("notifications.acmeJobIds[0]"),
    }),
  );
});

it("brings its notification to the extension, once", () => {
  const alone = defineExtension("com.example/jobs", { listenFilters: [jobIds] });
  expect(alone.notifications).toEqual([jobChanged]);
  const both = defineExtension("com.example/jobs", { listenFilters: [jobIds], notifications: [jobChanged] });
  expect(both.notifications).toEqual([jobChanged]);
});

it("shares neither its name nor its notification within an extension", () => {
  const sameNotification = defineListenFilter("acmeOther", config);
  const sameName = defineListenFilter("acmeJobIds", {
    ...config,
    notification: defineNotification("notifications/acme/other", { params: z.object({ jobId: z.string() }) }),
  });
  for (const duplicate of [sameNotification, sameName]) {
    expect(() => defineExtension("com.example/jobs", { listenFilters: [jobIds, duplicate] })).toThrow(
      expect.objectContaining({ code: "duplicate-name" }),
    );
  }
});
