/** Everything that is measured, in the order in which the command does it. */
import { bundle } from "./bundle.js";
import { client } from "./client/client.js";
import { coldStart } from "./cold-start.js";
import type { Measure } from "./figure.js";
import { gate } from "./http/gate.js";
import { http } from "./http/http.js";
import { tasks } from "./http/tasks.js";
import { toolsList } from "./http/tools-list.js";
import { inProcess } from "./in-process.js";
import { memory } from "./memory.js";
import { redis } from "./redis/redis.js";
import { stdio } from "./stdio.js";

export const MEASURES: readonly Measure[] = [
  http,
  gate,
  tasks,
  stdio,
  inProcess,
  client,
  toolsList,
  memory,
  coldStart,
  redis,
  bundle,
];
