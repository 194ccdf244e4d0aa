/** Which tests have no message for the judges, and why. Everything else fails without one. */
import type { Requirement } from "parley-requirements";

/** Tests of OAuth may exchange no message of MCP at all. */
const OAUTH = /^(?:client-auth|oauth-[a-z]+|hosting:auth):/;

const NOTHING_SENT = "Nothing is sent: the test is about what comes before the first message.";
const STATUS_ALONE = "The server answers with a status and no message.";
const SILENT_PROGRAM = "The program is the test's own, and the client sends it nothing.";
const IN_PROGRAMS = "Both sides are programs of their own, which speak to one another past the process of the test.";

const ABANDONED = "The callers leave before there is an answer.";
const MEASURED = "The heap of the test's own process is measured, and a log would be part of it.";
const TOO_DEEP = "Its messages are nested deeper than the judges can follow.";

/** Requirements of whose tests the judges hear nothing, by id, each with the reason. */
export const UNJUDGED: Readonly<Record<string, string>> = {
  "client-transport:http:unusable-url": NOTHING_SENT,
  "figures:cancelled:modern": ABANDONED,
  "figures:cancelled:modern-event-store": ABANDONED,
  "figures:hostile:principal": IN_PROGRAMS,
  "figures:hostile:server": IN_PROGRAMS,
  "figures:stalls:messages": TOO_DEEP,
  "figures:tasks:expired": IN_PROGRAMS,
  "figures:tasks:open": IN_PROGRAMS,
  "figures:unread:subscription": MEASURED,
  "hosting:http:loopback": NOTHING_SENT,
  "hosting:http:method-405": STATUS_ALONE,
  "hosting:http:modern:dropped-notifications": STATUS_ALONE,
  "hosting:http:modern:notification-post-202": STATUS_ALONE,
  "hosting:http:path-404": STATUS_ALONE,
  "hosting:http:soak:abandoned": MEASURED,
  "hosting:http:soak:cancelled-legacy": MEASURED,
  "hosting:http:soak:cancelled-modern": MEASURED,
  "hosting:http:soak:rejected": MEASURED,
  "hosting:http:unread-answers": "Nobody reads the answers.",
  "limits:rates:by-default":
    "Tens of thousands of equal calls in one process. tools:call:content:text has the same call judged.",
  "transport:author-stack": NOTHING_SENT,
  "transport:socket:private": NOTHING_SENT,
  "transport:stdio:argv": SILENT_PROGRAM,
  "transport:stdio:clean-shutdown": SILENT_PROGRAM,
  "transport:stdio:default-env-safelist": SILENT_PROGRAM,
  "transport:stdio:printing-before-and-after": NOTHING_SENT,
  "transport:stdio:shutdown-escalation": SILENT_PROGRAM,
  "transport:stdio:spawn-failure": NOTHING_SENT,
  "transport:stdio:stderr-passthrough": SILENT_PROGRAM,
};

/** Whether connections of the requirement's tests are left alone, since hearing them would spoil the test. */
export function isSpoiledByListening(id: string): boolean {
  return UNJUDGED[id] === MEASURED || UNJUDGED[id] === TOO_DEEP;
}

/** What is wrong with a test of the requirement in which the judges heard so many messages; undefined if nothing is. */
export function judgingFault(id: string, { over }: Requirement, heard: number): string | undefined {
  const isListed = Object.hasOwn(UNJUDGED, id);
  if (heard > 0) return isListed ? `The judges hear messages of ${id}: remove it from src/unjudged.ts` : undefined;
  if (isListed || OAUTH.test(id) || over?.because === "no-connection") return undefined;
  return `The judges heard no message of ${id}: use a peer that writes them down, or add the id to src/unjudged.ts`;
}
