/** Everyone who takes part, in the order in which the tables show them. */
import type { Contender } from "./contender.js";
import { officialV1Legacy } from "./contenders/official-v1.js";
import { officialV2Legacy, officialV2Modern } from "./contenders/official-v2.js";
import {
  parleyJsonRpcLegacy,
  parleyJsonRpcModern,
  parleyLegacy,
  parleyModern,
  parleyTask,
} from "./contenders/parley.js";
import { tmcpLegacy, tmcpModern, tmcpServerLegacy, tmcpServerModern } from "./contenders/tmcp.js";

export const CONTENDERS: readonly Contender[] = [
  parleyModern,
  parleyJsonRpcModern,
  officialV2Modern,
  tmcpModern,
  tmcpServerModern,
  parleyLegacy,
  parleyJsonRpcLegacy,
  parleyTask,
  officialV2Legacy,
  officialV1Legacy,
  tmcpLegacy,
  tmcpServerLegacy,
];
