/** The changesets lead to a release: each names a package that exists and a bump that is known. */
import getReleasePlan from "@changesets/get-release-plan";
import { expect, test } from "vitest";
import { repositoryRoot } from "./source-files.js";

test("the pending changesets make a release plan", async () => {
  const plan = await getReleasePlan(repositoryRoot);
  const known = plan.changesets.flatMap((changeset) => changeset.releases.map((release) => release.name));
  const published = ["parley-mcp", "@parley-mcp/conformance", "@parley-mcp/redis", "@parley-mcp/bullmq"];
  expect(known.filter((name) => !published.includes(name))).toEqual([]);
  expect(plan.changesets.filter((changeset) => changeset.summary.trim() === "")).toEqual([]);
});
