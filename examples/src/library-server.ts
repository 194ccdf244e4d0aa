/** The server behind the examples of authorization: a library whose tools need scopes, and whose loans belong to a caller. */
import { McpServer, ToolError } from "parley-mcp/server";
import { z } from "zod";

export const LIBRARY_SCOPES = { read: "books:read", borrow: "books:borrow" } as const;

const BOOKS: readonly string[] = ["dune", "emma", "momo"];

export function createLibrary(): McpServer {
  const server = new McpServer({ name: "library", version: "1.0.0" });
  /** Borrowers by book. A book is lent once, so there are never more than books. */
  const loans = new Map<string, string>();

  server.tool("whoami", { description: "Tells who the access token is for" }, (_args, { auth }) => {
    const { subject = "nobody", clientId = "an unknown client", scopes = [] } = auth ?? {};
    // A registered client has an id that nobody can read, so the answer tells services from users only.
    const who = subject === clientId ? `the service ${clientId}` : `the user ${subject}`;
    return `${who}, with ${scopes.join(" ") || "no scopes"}`;
  });

  server.tool(
    "search",
    {
      description: "Finds books by a part of their title",
      input: z.object({ text: z.string() }),
      output: z.object({ books: z.array(z.string()) }),
      scopes: [LIBRARY_SCOPES.read],
      annotations: { readOnlyHint: true },
    },
    ({ text }) => ({ books: BOOKS.filter((book) => book.includes(text)) }),
  );

  server.tool(
    "borrow",
    {
      description: "Borrows a book for the caller",
      input: z.object({ book: z.string() }),
      scopes: [LIBRARY_SCOPES.read, LIBRARY_SCOPES.borrow],
    },
    ({ book }, { caller, auth }) => {
      if (!BOOKS.includes(book)) throw new ToolError(`There is no book "${book}"; search finds those there are`);
      // The principal is one string per user and issuer. What clients say about themselves decides nothing.
      const borrower = String(caller?.principal);
      if ((loans.get(book) ?? borrower) !== borrower) throw new ToolError(`Somebody else has borrowed "${book}"`);
      loans.set(book, borrower);
      return `${auth?.subject} has borrowed "${book}"`;
    },
  );

  return server;
}
