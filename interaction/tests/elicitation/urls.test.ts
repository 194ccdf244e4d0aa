import { requiredUrls } from "parley-mcp/client";
import { inputRequired, McpServer, ProtocolError } from "parley-mcp/server";
import { expect, vi } from "vitest";
import { verifies } from "../../src/verifies.js";

const URL_TO_OPEN = "https://pay.example.com/checkout?session=a%20b&next=1#top";

verifies("elicitation:url:basic", "message, mode and URL are what the server wrote", async ({ connect, era }) => {
  const asked: unknown[] = [];
  const server = new McpServer({ name: "shop", version: "1.0.0" });
  server.tool("pay", {}, async (_args, context) => {
    const { action } = await context.elicit({ message: "Pay here", url: URL_TO_OPEN });
    return action;
  });
  const client = await connect(server, {
    elicit: () => {
      throw new Error("must not run");
    },
    elicitUrl: (params) => {
      asked.push(params);
      return { action: "accept" };
    },
  });

  expect(await client.callTool("pay")).toMatchObject({ content: [{ text: "accept" }] });

  const correlation = era === "legacy" ? { elicitationId: expect.any(String) } : {};
  expect(asked).toEqual([{ mode: "url", message: "Pay here", url: URL_TO_OPEN, ...correlation }]);
});

verifies(
  "elicitation:url:elicitation-id",
  "an elicitationId of the author goes out, and questions without one get different ids",
  async ({ connect }) => {
    const ids: unknown[] = [];
    const server = new McpServer({ name: "shop", version: "1.0.0" });
    server.tool("pay", {}, async (_args, context) => {
      await context.elicit({ message: "Pay here", url: URL_TO_OPEN, elicitationId: "order-7" });
      await context.elicit({ message: "Pay here", url: URL_TO_OPEN });
      await context.elicit({ message: "Pay here", url: URL_TO_OPEN });
      return "paid";
    });
    const client = await connect(server, {
      elicitUrl: ({ elicitationId }) => {
        ids.push(elicitationId);
        return { action: "accept" };
      },
    });

    await client.callTool("pay");

    expect(ids).toEqual(["order-7", expect.any(String), expect.any(String)]);
    expect(new Set(ids).size).toBe(3);
  },
);

verifies(
  "elicitation:url:no-elicitation-id",
  "a modern question to open a page has no elicitationId, although the handler gave one",
  async ({ connect, wire }) => {
    const server = new McpServer({ name: "shop", version: "1.0.0" });
    server.tool("pay", {}, async (_args, context) => {
      const { action } = await context.elicit({ message: "Pay here", url: URL_TO_OPEN, elicitationId: "order-7" });
      return action;
    });
    const client = await connect(server, { elicitUrl: () => ({ action: "accept" }) });

    await client.callTool("pay");

    const params = { mode: "url", message: "Pay here", url: URL_TO_OPEN };
    expect(wire.from("server")).toContainEqual(
      expect.objectContaining({
        result: expect.objectContaining({
          inputRequests: { "elicitation/create#1": { method: "elicitation/create", params } },
        }),
      }),
    );
  },
);

verifies(
  "elicitation:url:valid-url",
  "a URL that is not valid is refused in the handler, and nobody is asked",
  async ({ connect, wire }) => {
    const server = new McpServer({ name: "shop", version: "1.0.0" });
    server.tool("pay", {}, async (_args, context) => {
      const refusal = await context.elicit({ message: "Pay here", url: "pay here" }).catch((error: unknown) => error);
      expect(refusal).toMatchObject({ code: "invalid-argument", message: expect.stringContaining("pay here") });
      return "refused";
    });
    const client = await connect(server, {
      elicitUrl: () => {
        throw new Error("must not run");
      },
    });

    expect(await client.callTool("pay")).toMatchObject({ content: [{ text: "refused" }] });

    expect(wire.methods("server")).not.toContain("elicitation/create");
  },
);

for (const action of ["accept", "decline", "cancel"] as const) {
  verifies(
    action === "accept" ? "elicitation:url:action:accept-no-content" : `elicitation:url:action:${action}`,
    `the handler is told ${action} alone, whatever else the client's handler returned`,
    async ({ connect, wire }) => {
      const answers: unknown[] = [];
      const server = new McpServer({ name: "shop", version: "1.0.0" });
      server.tool("pay", {}, async (_args, context) => {
        answers.push(await context.elicit({ message: "Pay here", url: URL_TO_OPEN }));
        return "asked";
      });
      const returned = { action, content: { card: "4111 1111 1111 1111" } };
      const client = await connect(server, { elicitUrl: () => returned });

      await client.callTool("pay");

      expect(answers).toEqual([{ action }]);
      expect(JSON.stringify(wire.from("client"))).not.toContain("4111 1111");
    },
  );
}

verifies(
  "mrtr:url-elicitation:no-32042",
  "the page is an input request, asked again until the user is done, and no error crosses",
  async ({ connect, wire }) => {
    let visits = 0;
    const server = new McpServer({ name: "shop", version: "1.0.0" });
    server.tool("pay", {}, async (_args, context) => {
      for (let attempt = 0; visits < 2; attempt += 1) {
        await context.elicit({ message: `Pay here (${attempt})`, url: URL_TO_OPEN });
      }
      return "paid";
    });
    const client = await connect(server, {
      elicitUrl: () => {
        visits += 1;
        return { action: "accept" };
      },
    });

    expect(await client.callTool("pay")).toMatchObject({ content: [{ text: "paid" }] });

    expect(wire.from("server").filter((message) => "error" in message)).toEqual([]);
    expect(wire.methods("client").filter((method) => method === "tools/call")).toHaveLength(3);
  },
);

/** A modern call that the client refuses to answer rejects; a legacy one is a failure of the tool that asked. */
async function outcomeOf(calling: Promise<{ isError?: boolean | undefined }>): Promise<string> {
  const result = await calling.catch(() => ({ isError: true }));
  return result.isError === true ? "failed" : "served";
}

verifies(
  "elicitation:url:schemes",
  "javascript:, data: and file: pages are refused, and an application's own scheme is opened once it is named",
  async ({ connect }) => {
    const elicitUrlSchemes = ["https", "http", "javascript", "data", "file", "myapp"];
    const server = new McpServer({ name: "shop", version: "1.0.0", elicitUrlSchemes, onError: () => {} });
    server.tool("open", { input: { type: "object" } }, async ({ url }, context) => {
      const { action } = await context.elicit({ message: "Here", url: String(url) });
      return action;
    });
    const elicitUrl = vi.fn((_params: { url: string }) => ({ action: "accept" as const }));
    const careful = await connect(server, { elicitUrl });
    const open = await connect(server, { elicitUrl, elicitUrlSchemes: ["https", "myapp"] });

    for (const url of ["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "myapp://x"]) {
      expect(await outcomeOf(careful.callTool("open", { url })), url).toBe("failed");
    }
    expect(await outcomeOf(open.callTool("open", { url: "http://example.com/" }))).toBe("failed");
    expect(elicitUrl).not.toHaveBeenCalled();

    const opened = ["https://example.com/", "http://example.com/"];
    for (const url of opened) await careful.callTool("open", { url });
    await open.callTool("open", { url: "myapp://x" });
    expect(elicitUrl.mock.calls.map(([{ url }]) => url)).toEqual([...opened, "myapp://x"]);
  },
);

verifies(
  "elicitation:url:https",
  "plain http and other schemes fail the handler in either form of asking, unless the page is local or the scheme is named",
  async ({ connect }) => {
    const reported: unknown[] = [];
    const onError = ({ cause }: Error) => void reported.push(cause);
    const open = (elicitUrlSchemes?: string[]) => {
      const server = new McpServer({ name: "shop", version: "1.0.0", elicitUrlSchemes, onError });
      server.tool("ask", { input: { type: "object" } }, async ({ url }, context) => {
        return (await context.elicit({ message: "Here", url: String(url) })).action;
      });
      server.tool("raw", { input: { type: "object" } }, ({ url }, { inputResponses }) => {
        const params = { mode: "url", message: "Here", url: String(url) } as const;
        if (inputResponses) return "accept";
        return inputRequired({ inputRequests: { page: { method: "elicitation/create", params } } });
      });
      return connect(server, { elicitUrl: () => ({ action: "accept" }), elicitUrlSchemes: ["https", "http", "shop"] });
    };
    const [careful, named] = [await open(), await open(["https", "shop"])];

    for (const name of ["ask", "raw"]) {
      for (const url of ["http://example.com/", "shop://cart", "javascript:alert(1)", "http://localhost.example/"]) {
        expect(await careful.callTool(name, { url }), url).toMatchObject({ isError: true });
        const message = expect.stringContaining(url);
        expect(reported.splice(0)).toMatchObject([{ code: "invalid-argument", message }]);
      }
      for (const url of ["https://example.com/", "http://localhost:8080/", "http://127.0.0.1/", "http://[::1]:1/"]) {
        expect(await careful.callTool(name, { url }), url).toMatchObject({ content: [{ text: "accept" }] });
      }
      expect(await named.callTool(name, { url: "shop://cart" })).toMatchObject({ content: [{ text: "accept" }] });
    }
  },
);

verifies(
  "elicitation:url:required-schemes",
  "a page that would run a script is left out, and an application's own scheme is there once it is named",
  () => {
    const pages = ["https://example.com/", "javascript:alert(1)", "myapp://x", "no url"].map((url, index) => ({
      mode: "url",
      message: "Here",
      elicitationId: `${index}`,
      url,
    }));
    const refusal = new ProtocolError(-32042, "First this", { data: { elicitations: pages } });

    expect(requiredUrls(refusal)).toEqual([pages[0]]);
    expect(requiredUrls(refusal, ["https", "myapp"])).toEqual([pages[0], pages[2]]);
  },
);
