/** The figures that bound what faults may cost, at full size: what is left of them, how long they hold others up. */
import { OVER_HTTP, OVER_STDIO, OWN_TRANSPORT, type Requirement, type Requirements } from "./requirement.js";

const MODERN = "2026-07-28";
const LAST_LEGACY = "2025-11-25";

const BOUNDED = "bounded-by-default";

function decided(behavior: string, decision = "http-under-faults"): Requirement {
  return { behavior, source: { decision }, strength: "decision", over: OVER_HTTP };
}

function modern(requirement: Requirement): Requirement {
  return { ...requirement, since: MODERN };
}

function legacy(requirement: Requirement): Requirement {
  return { ...requirement, until: LAST_LEGACY };
}

const remains: Requirements = {
  "figures:cancelled:modern": modern(
    decided("100,000 requests whose clients left leave no handle, timer or entry and at most 1 MiB more heap."),
  ),
  "figures:cancelled:modern-event-store": modern(
    decided(
      "The same holds for 10,000, and for 100,000 in a soak, where legacy clients have an event store, which stays empty.",
    ),
  ),
  "figures:cancelled:legacy": legacy(
    decided("100,000 requests cancelled in a session leave no handle, timer or entry and at most 1 MiB more heap."),
  ),
  "figures:cancelled:legacy-event-store": legacy(
    decided(
      "The same holds for 10,000, and for 100,000 in a soak, with an event store, in which nothing is left of them.",
    ),
  ),
  "figures:rejected:modern": modern(
    decided(
      "10,000 refused requests, and 100,000 in a soak, leave no stream, handle or timer and at most 1 MiB more heap.",
    ),
  ),
  "figures:rejected:legacy": legacy(
    decided("100,000 refused requests of legacy clients leave no more, and none of them opens a session."),
  ),
};

const tasks: Requirements = {
  "figures:tasks:open": modern({
    behavior: "10,000 tasks that wait for an answer take less than 160 MiB, in a process with a heap of 256 MB.",
    source: { decision: BOUNDED },
    strength: "decision",
    over: OWN_TRANSPORT,
  }),
  "figures:tasks:expired": modern({
    behavior: "10,000 tasks that ended and expired, and 100,000 in a soak, leave at most 1 MiB more heap.",
    source: { decision: BOUNDED },
    strength: "decision",
    over: OWN_TRANSPORT,
  }),
};

const unread: Requirements = {
  "figures:unread:subscription": modern(
    decided("10,000 changes that the client of a subscription does not read stay within the bound of its stream."),
  ),
};

const stalls: Requirements = {
  "figures:stalls:arguments": decided(
    "No arguments within the limits of a message stall the event loop for more than 200 ms, whatever their schema.",
    BOUNDED,
  ),
  "figures:stalls:texts": decided("No text does, whatever pattern or format it is held against.", BOUNDED),
  "figures:stalls:messages": decided("No other part of a message does, nor what a resource is read as.", BOUNDED),
  "figures:stalls:lines": { ...decided("No line within the limits does.", BOUNDED), over: OVER_STDIO },
};

const isolation: Requirements = {
  "figures:isolation:connections": {
    ...decided("Of a million requests from 100 callers who all use one id, none hears of another's."),
    over: OWN_TRANSPORT,
  },
  "figures:isolation:exchanges": modern(
    decided("Requests that share an id and an endpoint, and nothing else, hear nothing of one another."),
  ),
};

const settling: Requirements = {
  "figures:settling:modern": modern(
    decided("A call that gets no answer rejects within its timeout plus a second, whatever its response does instead."),
  ),
  "figures:settling:legacy": legacy(
    decided("A call without an answer settles as quickly in a session, and while a stream is being resumed."),
  ),
  "figures:settling:sse": {
    ...decided("A call without an answer settles as quickly over HTTP+SSE."),
    until: "2024-11-05",
  },
  "figures:settling:stdio": {
    ...decided("A call without an answer settles as quickly if a program stops, dies, closes or only makes noise."),
    over: OVER_STDIO,
  },
  "figures:settling:opening": decided("Opening a connection to somebody who says nothing ends as quickly."),
};

const faults: Requirements = {
  "figures:faults:stateless": legacy(
    decided("Without sessions, whatever breaks: every call settles, and nothing is doubled, reordered or crossed."),
  ),
  "figures:faults:sse": { ...decided("The same holds over HTTP+SSE, and nothing is left."), until: "2024-11-05" },
  "figures:faults:web-modern": modern(
    decided("Behind the web-standard handler, whatever breaks: the same, and no handler runs on."),
  ),
  "figures:faults:web-legacy": legacy(
    decided("Behind the web-standard handler with an event store, whatever breaks: nothing is lost, either."),
  ),
};

const hostile: Requirements = {
  "figures:hostile:principal": decided(
    "While a hostile principal attacks a server with a heap of 256 MB and default limits, no call of a polite principal fails, and its p99 stays within three times the quiet one.",
    BOUNDED,
  ),
  "figures:hostile:server": decided(
    "While a client with a heap of 256 MB and default limits uses a hostile server, no call to a polite server fails, and their p99 stays within three times the quiet one.",
    BOUNDED,
  ),
};

export const figures: Requirements = {
  ...remains,
  ...tasks,
  ...unread,
  ...stalls,
  ...isolation,
  ...settling,
  ...faults,
  ...hostile,
};
