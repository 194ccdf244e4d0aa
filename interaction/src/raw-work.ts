/** A raw client that calls `work` of a hosted server, leaves in the middle, and comes back for what it missed. */
import type { JsonObject } from "parley-mcp/client";
import type { Revision } from "parley-requirements";
import type { HostedWork } from "./hosted-work.js";
import { enveloped, MODERN, modernPost } from "./http-posts.js";
import { RawHttpClient, type RawResponse } from "./raw-http-client.js";

export interface RawCall {
  readonly call: string;
  readonly steps: number;
  /** After so many events it goes away. */
  readonly leaveAfter: number;
}

export interface RawCalled extends RawCall {
  readonly messages: JsonObject[];
  /** Event ids in the order they came. */
  readonly ids: string[];
}

/** More than any script breaks. */
const MAX_RETURNS = 50;

/** Whatever fails on the way is a lost connection; what was heard until then is the result. */
export async function workRaw(work: HostedWork, url: string, revision: Revision, raw: RawCall): Promise<RawCalled> {
  const called: RawCalled = { ...raw, messages: [], ids: [] };
  const { call, steps } = raw;
  const params = { name: "work", arguments: { call, steps, hangs: false } };
  const client = new RawHttpClient(url);
  if (revision === MODERN) {
    const { headers, body } = modernPost("tools/call", enveloped(params));
    await client
      .send("POST", headers, JSON.parse(body))
      .then((response) => hear(response, called, raw.leaveAfter), lost);
    return called;
  }
  const direct = await work.host.client({ revision }).open();
  client.sessionId = direct.sessionId;
  await client.request(1, "tools/call", params).then((response) => hear(response, called, raw.leaveAfter), lost);
  for (let left = MAX_RETURNS; left > 0 && !isAnswered(called); left -= 1) {
    const last = called.ids.at(-1);
    if (last === undefined) break;
    await client.get({ "last-event-id": last }).then((response) => hear(response, called), lost);
  }
  await direct.delete();
  return called;
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
    response.disconnect();
  } catch {
    lost();
  }
}

function lost(): void {
  // What was heard before counts, and whoever cares comes back.
}
