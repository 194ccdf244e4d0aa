/** One subject over one backend in a process of its own, with its clients. */
import { answerParent } from "../forked.js";
import { type BackendName, openBackend } from "./backends.js";
import { defineServer, type Lane, SUBJECTS, serveSubject } from "./subjects.js";

export interface Round {
  readonly operations: number;
  readonly lanes: number;
}

export interface RoundResult {
  readonly perSecond: number;
  readonly commandsPerOperation: number;
}

const [, , setting = "", backendName = "memory", redisUrl = ""] = process.argv;
const subject = SUBJECTS.find((each) => each.setting === setting);
if (subject === undefined) throw new Error(`There is no subject ${setting}`);
// Both sides of this process are written together.
const backend = await openBackend(backendName as BackendName, redisUrl);
const server = defineServer(backend);
const http = await serveSubject(server, backend);
const open: Lane[] = [];

answerParent<Round>("ready", async ({ operations, lanes }): Promise<RoundResult> => {
  while (open.length < lanes) open.push(await subject.open(http.url, server));
  const commands = backend.commands();
  const startedAt = performance.now();
  let left = operations;
  await Promise.all(
    open.slice(0, lanes).map(async (lane) => {
      while (left > 0) {
        left -= 1;
        await lane.run();
      }
    }),
  );
  const seconds = (performance.now() - startedAt) / 1_000;
  return {
    perSecond: operations / seconds,
    commandsPerOperation: (backend.commands() - commands) / operations,
  };
});
