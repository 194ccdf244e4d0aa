/** Tasks that one server creates and workers of a queue run, and their leases. */
import { OVER_HTTP, type Requirements } from "./requirement.js";

const queue = { source: { decision: "task-queues" }, strength: "decision" } as const;

export const taskQueues: Requirements = {
  "tasks:queue": {
    ...queue,
    since: "2025-11-25",
    needs: ["session", "server-requests"],
    behavior:
      "A server runs a task that another server created, with its progress and questions, if both share a store.",
  },
  "tasks:queue:notified-once": {
    ...queue,
    since: "2026-07-28",
    behavior:
      "A change of a task reaches a listen stream once, however many servers share its store and its change bus.",
  },
  "tasks:queue:cancelled": {
    ...queue,
    since: "2025-11-25",
    behavior: "Cancelling a task aborts its handler in the server that runs it.",
  },
  "tasks:queue:again": {
    ...queue,
    since: "2025-11-25",
    behavior:
      "A task that is delivered again after its worker was closed runs again if its tool says so, and fails otherwise.",
  },
  "tasks:queue:twice": {
    ...queue,
    since: "2025-11-25",
    behavior:
      "A task that is delivered again to the server that runs it goes on, and both deliveries wait for its end.",
  },
  "tasks:queue:second-worker": {
    ...queue,
    since: "2025-11-25",
    behavior: "A task that is delivered to a second server while the first one runs it is left to the first one.",
  },
  "tasks:queue:unbegun": {
    ...queue,
    since: "2025-11-25",
    behavior:
      "A task that waits for a slot of a server is free for other servers, also if its tool does not run again.",
  },
  "tasks:queue:store-failed": {
    ...queue,
    since: "2025-11-25",
    behavior: "A store that fails while a server begins a task is asked again, and the task runs to its end.",
  },
  "tasks:queue:suspended": {
    ...queue,
    since: "2025-11-25",
    behavior:
      "An effect of once does not run in a server that was suspended for longer than its lease, after another server has begun the task.",
  },
  "tasks:queue:lease-lost": {
    ...queue,
    since: "2025-11-25",
    behavior: "A delivery whose server lost its lease resolves with false, also if the handler ignores its signal.",
  },
  "tasks:queue:clock-set-back": {
    ...queue,
    since: "2025-11-25",
    behavior: "A clock that is set back by more than the length of a lease frees the lease.",
  },
  "tasks:queue:started-later": {
    ...queue,
    since: "2026-07-28",
    behavior:
      "A task whose handler began inside the call fails after its process has ended, also if the runner recovers tasks.",
  },
  "tasks:queue:caller": {
    ...queue,
    since: "2025-11-25",
    over: OVER_HTTP,
    behavior: "A handler that another server runs sees the scopes of the call, and no auth if the call had none.",
  },
  "tasks:queue:misuse": {
    ...queue,
    over: { connections: [], because: "no-connection" },
    behavior: "A server without a store of its author refuses to run tasks of others.",
  },
};
