/** Changes that a server announces on its own. */
import { type Check, eventually, expect, expectText } from "./trial.js";

const UPDATED = "notifications/resources/updated";
const TOOLS_CHANGED = "notifications/tools/list_changed";

export const listen: Check = async ({ client, exhibit, tap }) => {
  const seen = tap.entries().length;
  const stop = await client.watch?.({ tools: true, resource: exhibit.resource.uri });
  const answers = tap.entries().slice(seen);
  expect(
    answers.some(({ from, text }) => from === "server" && text.includes("notifications/subscriptions/acknowledged")),
    "the subscription was not acknowledged",
  );
  await stop?.();
  const { echo } = exhibit;
  expectText(await client.callTool(echo.tool, { [echo.argument]: "still here" }), "still here");
};

export const resourceUpdates: Check = async (trial) => {
  const { client, exhibit, heard } = trial;
  const stop = await client.watch?.({ resource: exhibit.resource.uri });
  const before = heard.count(UPDATED);
  const { tool, args, text } = exhibit.touching;
  expectText(await client.callTool(tool, args), text);
  await eventually(trial, () => heard.count(UPDATED) > before, `${UPDATED} never arrived`);
  await stop?.();
};

export const listChanges: Check = async (trial) => {
  const { client, exhibit, heard } = trial;
  const stop = await client.watch?.({ tools: true });
  const before = heard.count(TOOLS_CHANGED);
  const { tool, args, text } = exhibit.growing;
  expectText(await client.callTool(tool, args), text);
  await eventually(trial, () => heard.count(TOOLS_CHANGED) > before, `${TOOLS_CHANGED} never arrived`);
  await stop?.();
};
