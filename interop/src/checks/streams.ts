/** What a server sends besides the answer, and calls that end early or on another connection. */
import type { Exhibit } from "../exhibit.js";
import { isRecord } from "../peer-client.js";
import { type Check, eventually, expect, expectEqual, expectText, type Trial } from "./trial.js";

const MAX_ATTEMPTS = 3;

export const ping: Check = async ({ client }) => {
  await client.ping?.();
};

/** On a busy machine the pauses between reports shrink to nothing, which is the business of the next check. */
export const progress: Check = async ({ client, exhibit: { steps } }) => {
  for (let attempts = 1; attempts < MAX_ATTEMPTS; attempts += 1) {
    const isWhole = await reportsProgress(client, steps).then(
      () => true,
      () => false,
    );
    if (isWhole) return;
  }
  await reportsProgress(client, steps);
};

export const progressInOneBurst: Check = ({ client, exhibit: { burst } }) => reportsProgress(client, burst);

export const resumption: Check = async ({ client, exhibit: { steps }, http }) => {
  let isCut = false;
  await reportsProgress(client, steps, () => {
    if (!isCut) http?.cut();
    isCut = true;
  });
};

async function reportsProgress(
  client: Trial["client"],
  { tool, args, text, count }: Exhibit["steps"],
  onReport?: () => void,
): Promise<void> {
  const reports: number[] = [];
  const onProgress = (report: number) => {
    reports.push(report);
    onReport?.();
  };
  expectText(await client.callTool(tool, args, { onProgress }), text);
  expectEqual(
    reports,
    Array.from({ length: count }, (_, index) => index + 1),
    "progress reports",
  );
}

export const cancellation: Check = async (trial) => {
  const { client, exhibit, tap } = trial;
  const { tool, args, witness } = exhibit.hanging;
  const before = await readWitness(trial, witness);
  const seen = tap.entries().length;
  const abort = new AbortController();
  const call = client.callTool(tool, args, { signal: abort.signal }).then(
    () => "answered",
    () => "rejected",
  );
  // A call that has not gone out yet would never reach the server.
  await eventually(
    trial,
    () =>
      tap
        .entries()
        .slice(seen)
        .some(({ text }) => text.includes(`"${tool}"`)),
    "the call was never sent",
  );
  if (witness) {
    await eventually(
      trial,
      async () => (await readWitness(trial, witness)).begun > before.begun,
      "the call was never begun",
    );
  }
  abort.abort();
  expectEqual(await call, "rejected", "the cancelled call");
  if (witness) {
    const isCancelled = async () => (await readWitness(trial, witness)).cancelled > before.cancelled;
    await eventually(trial, isCancelled, "the handler was never told of the cancellation");
  }
  const { echo } = exhibit;
  expectText(await client.callTool(echo.tool, { [echo.argument]: "still here" }), "still here");
};

async function readWitness({ client }: Trial, witness?: string): Promise<{ begun: number; cancelled: number }> {
  if (!witness) return { begun: 0, cancelled: 0 };
  const report: unknown = JSON.parse((await client.callTool(witness, {})).text);
  expect(isRecord(report), "the witness says nothing");
  return { begun: Number(report.begun), cancelled: Number(report.cancelled) };
}

export const logging: Check = async (trial) => {
  const { client, era, exhibit, heard } = trial;
  if (era === "legacy") await client.setLogLevel?.("debug");
  const before = heard.count("notifications/message");
  const { tool, args, text } = exhibit.logging;
  expectText(await client.callTool(tool, args, era === "modern" ? { logLevel: "debug" } : {}), text);
  await eventually(trial, () => heard.count("notifications/message") > before, "no log message arrived");
};
