import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { historyWriter, readHistory } from "./history.js";

test("a line that a kill cut off is left out", () => {
  const folder = mkdtempSync(join(tmpdir(), "parley-history-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  historyWriter(folder, "killed")({ kind: "killed", replica: "a" });
  appendFileSync(join(folder, "killed.jsonl"), '{"at":1,"kind":"kil');
  historyWriter(folder, "living")({ kind: "frozen", replica: "b" });

  expect(readHistory(folder)).toMatchObject([
    { kind: "killed", replica: "a" },
    { kind: "frozen", replica: "b" },
  ]);
});
