/** The kinds of clients that make load. */
import { connect as connectListener } from "./listener.js";
import type { Connect } from "./load-client.js";
import { connect as connectV1 } from "./official-v1.js";
import { connectLegacy as connectV2Legacy, connectModern as connectV2Modern } from "./official-v2.js";
import { connectLegacy, connectModern, connectTasks } from "./ours.js";
import { connect as connectReplayer } from "./replayer.js";

export const CLIENT_KINDS = {
  "ours-modern": connectModern,
  "ours-legacy": connectLegacy,
  "official-v1": connectV1,
  "official-v2-modern": connectV2Modern,
  "official-v2-legacy": connectV2Legacy,
  "ours-tasks": connectTasks,
  listener: connectListener,
  replayer: connectReplayer,
} as const satisfies Record<string, Connect>;

export type ClientKind = keyof typeof CLIENT_KINDS;
