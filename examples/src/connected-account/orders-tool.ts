/** A tool that needs the user's account elsewhere. It asks them to connect it, and uses the token for them alone. */
import { type CredentialStore, InMemoryCredentialStore } from "parley-mcp/oauth";
import { type McpServer, ToolError } from "parley-mcp/server";
import type { ConnectPages } from "./connect-pages.js";

/** The tokens of the shop by user. They stay on this side: clients see what the tool returns, and nothing else. */
export class ShopAccounts {
  readonly #orders: string;
  readonly #tokens: CredentialStore = new InMemoryCredentialStore({ maxEntries: 1_000 });

  constructor(orders: string) {
    this.#orders = orders;
  }

  async keep(subject: string, accessToken: string): Promise<void> {
    await this.#tokens.set(subject, JSON.stringify(accessToken));
  }

  /** Undefined if the user has not connected their account, or has to connect it again. */
  async ordersOf(subject: string): Promise<readonly string[] | undefined> {
    const stored = await this.#tokens.get(subject);
    if (stored === undefined) return undefined;
    const headers = { authorization: `Bearer ${JSON.parse(stored)}` };
    const response = await fetch(this.#orders, { headers, signal: AbortSignal.timeout(10_000) });
    if (response.status === 401) {
      await this.#tokens.delete(subject);
      return undefined;
    }
    if (!response.ok) throw new ToolError("The bookshop does not answer now; try again later");
    return (await response.json()) as readonly string[];
  }
}

export function addOrdersTool(server: McpServer, accounts: ShopAccounts, pages: ConnectPages): void {
  server.tool("orders", { description: "Lists the user's orders at the bookshop" }, async (_args, context) => {
    // From the access token. An argument, or what the client says about itself, could be anybody's name.
    const subject = context.auth?.subject;
    if (subject === undefined) throw new ToolError("The access token names no user");
    const orders = await accounts.ordersOf(subject);
    if (orders) return orders.join(", ");
    // The handler runs again after the user was asked, and must ask for the same page then.
    const invitation = await context.once("invitation", () => pages.invite(subject));
    const url = pages.urlOf(invitation);
    return context.requireUrl({ message: "Connect your bookshop account", url, elicitationId: invitation });
  });
}
