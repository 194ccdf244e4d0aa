/** What can be read on the desk: a page about it, notes by their id with suggestions, and two readings that change. */
import { ProtocolError } from "parley-mcp/server";
import { ErrorCode } from "parley-mcp/types";
import { asMarkdown, type Desk, startingWith } from "./desk.js";
import { timeIn } from "./everyday-tools.js";

const CLOCK = "desk://clock";
const STATUS = "desk://status";

export function addDeskResources({ server, notebook }: Desk): void {
  server.resource(
    "desk://about",
    {
      name: "about",
      title: "About this desk",
      mimeType: "text/markdown",
      cache: { ttlMs: 60_000, cacheScope: "public" },
    },
    () => "# A desk\n\nAn example server. What you write here is kept in memory and gone when it stops.\n",
  );

  server.resource(
    CLOCK,
    {
      name: "clock",
      title: "The time",
      description: "Changes every few seconds: subscribe to it",
      mimeType: "text/plain",
    },
    () => timeIn("UTC"),
  );

  server.resource(
    STATUS,
    {
      name: "status",
      title: "The server",
      description: "Uptime and memory, subscribe to it",
      mimeType: "application/json",
    },
    () =>
      JSON.stringify({
        uptimeSeconds: Math.round(process.uptime()),
        memoryMegabytes: Math.round(process.memoryUsage().rss / 1024 / 1024),
        notes: notebook.notes.length,
        archived: notebook.archived.length,
      }),
  );

  server.resourceTemplate(
    "desk://notes/{id}",
    {
      name: "note",
      title: "A note",
      description: "A note by its id",
      mimeType: "text/markdown",
      complete: {
        id: (typed) =>
          startingWith(
            typed,
            notebook.notes.map(({ id }) => id),
          ),
      },
    },
    ({ uri, variables }) => {
      const note = notebook.get(String(variables.id));
      if (!note) throw new ProtocolError(ErrorCode.invalidParams, `There is no such note: ${uri}`);
      return asMarkdown(note);
    },
  );
}

/** Tells those who subscribed that the changing resources read differently now. */
export function tick({ server }: Desk): void {
  server.announce.resourceUpdated(CLOCK);
  server.announce.resourceUpdated(STATUS);
}
