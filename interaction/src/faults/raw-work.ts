/** A raw client that calls `work` of a hosted server, leaves in the middle, and comes back for what it missed. */
import type { JsonObject } from "parley-mcp/types";
import { expect, vi } from "vitest";
import { enveloped, MODERN, modernPost, post } from "../http/http-posts.js";
import { RawHttpClient, type RawResponse } from "../http/raw-http-client.js";
import type { HostedWork, Setting } from "./hosted-work.js";

export interface RawCall {
  readonly call: string;
  readonly steps: number;
  /** After so many events it goes away. */
  readonly leaveAfter: number;
  /** Then it also says that it wants no answer to what hangs; in the modern era going away says so. */
  readonly cancels: boolean;
}

export interface RawCalled extends RawCall {
  readonly messages: JsonObject[];
  /** Event ids in the order they came. */
  readonly ids: string[];
}

/** More than any script breaks. */
const MAX_RETURNS = 50;

/** Whatever fails on the way is a lost connection; what was heard until then is the result. */
export async function workRaw(work: HostedWork, url: string, setting: Setting, raw: RawCall): Promise<RawCalled> {
  const called: RawCalled = { ...raw, messages: [], ids: [] };
  const { call, steps, cancels } = raw;
  const params = { name: "work", arguments: { call, steps, hangs: cancels } };
  // What hangs says no more than its steps.
  const leaveAfter = cancels ? Math.min(raw.leaveAfter, steps) : raw.leaveAfter;
  const client = new RawHttpClient(url);
  const { revision } = setting;
  if (revision === MODERN || setting.isStateless) {
    const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
    const { headers, body } = revision === MODERN ? modernPost("tools/call", enveloped(params)) : post(message);
    await client.send("POST", headers, JSON.parse(body)).then((response) => hear(response, called, leaveAfter), lost);
    if (cancels) await untilOver(work, call);
    return called;
  }
  const direct = await work.client(revision).open();
  client.sessionId = direct.sessionId;
  const heard = client.request(1, "tools/call", params).then((response) => hear(response, called, leaveAfter), lost);
  if (cancels) {
    if (leaveAfter > 0) await heard;
    await direct.cancel(1);
    await heard;
    await untilOver(work, call);
  }
  for (let left = MAX_RETURNS; left > 0 && !isAnswered(called); left -= 1) {
    const last = called.ids.at(-1);
    if (last === undefined) break;
    const response = await client.get({ "last-event-id": last }).catch(lost);
    // There is nothing to come back for.
    if (cancels && response?.status === 400) break;
    if (response) await hear(response, called);
  }
  await direct.delete();
  return called;
}

/** The handler of a call that nobody waits for ends by itself. */
async function untilOver({ active }: HostedWork, call: string): Promise<void> {
  await vi.waitFor(() => expect(active.has(call), `${call} runs on`).toBe(false), { timeout: 8_000, interval: 2 });
}

export function isAnswered({ messages }: RawCalled): boolean {
  return messages.at(-1)?.id === 1;
}

async function hear(response: RawResponse, called: RawCalled, leaveAfter = Number.POSITIVE_INFINITY): Promise<void> {
  try {
    if (!response.isStream) {
      called.messages.push(await response.json());
      return;
    }
    for (let left = leaveAfter; left > 0; left -= 1) {
      const event = await response.event();
      if (!event) return;
      if (event.id !== undefined) called.ids.push(event.id);
      if (event.data) called.messages.push(JSON.parse(event.data));
    }
  } catch {
    lost();
  } finally {
    response.disconnect();
  }
}

function lost(): undefined {
  // What was heard before counts, and whoever cares comes back.
  return undefined;
}
