/** A browser without a screen: keeps cookies, follows redirects, and sends the forms of pages. */

export interface Page {
  /** Where the browser is: at a page, or at a redirect that it does not follow. */
  readonly url: URL;
  /** Undefined for a redirect that is not followed. */
  readonly status?: number;
  readonly text: string;
}

export type Site = (request: Request) => Response | Promise<Response>;

const REDIRECTS = [301, 302, 303, 307];
const MAX_REDIRECTS = 20;

export class LoginBrowser {
  /** Requests by method and URL without query, in order. */
  readonly visited: string[] = [];
  readonly #sites: Readonly<Record<string, Site>>;
  readonly #stopAt: string;
  /** By host. */
  readonly #cookies = new Map<string, Map<string, string>>();

  /**
   * @param sites by origin; other origins are called over the network
   * @param stopAt the redirect URI of the client: a program receives it, no page
   */
  constructor(sites: Readonly<Record<string, Site>>, stopAt: string) {
    this.#sites = sites;
    this.#stopAt = stopAt;
  }

  async open(url: string | URL, init: RequestInit = {}): Promise<Page> {
    let next = new URL(url);
    let sent = init;
    for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
      if (next.href.startsWith(this.#stopAt)) return { url: next, text: "" };
      const response = await this.#send(next, sent);
      const location = REDIRECTS.includes(response.status) ? response.headers.get("location") : null;
      if (location === null) return { url: next, status: response.status, text: await response.text() };
      await response.body?.cancel();
      next = new URL(location, next);
      sent = {};
    }
    throw new Error(`more than ${MAX_REDIRECTS} redirects`);
  }

  /** Sends the form of a page with its hidden inputs, as a click on a button would. */
  submit(page: Page, fields: Readonly<Record<string, string>>): Promise<Page> {
    const action = /<form[^>]* action="([^"]*)"/.exec(page.text)?.[1];
    if (action === undefined) throw new Error(`${page.url.href} has no form: ${page.text}`);
    const hidden = [...page.text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)];
    const values = { ...Object.fromEntries(hidden.map(([, name, value]) => [name, value])), ...fields };
    return this.open(new URL(unescapeHtml(action), page.url), { method: "POST", body: new URLSearchParams(values) });
  }

  async #send(url: URL, init: RequestInit): Promise<Response> {
    const cookies = this.#cookies.get(url.hostname) ?? new Map<string, string>();
    const headers = new Headers(init.headers);
    if (cookies.size > 0) headers.set("cookie", Array.from(cookies, (pair) => pair.join("=")).join("; "));
    const request = new Request(url, { ...init, headers, redirect: "manual" });
    this.visited.push(`${request.method} ${url.origin}${url.pathname}`);
    const response = await (this.#sites[url.origin] ?? fetch)(request);
    for (const set of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      if (value === "") cookies.delete(name);
      else cookies.set(name, value);
    }
    this.#cookies.set(url.hostname, cookies);
    return response;
  }
}

function unescapeHtml(attribute: string): string {
  return attribute.replaceAll("&amp;", "&");
}
