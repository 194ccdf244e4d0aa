/** A browser without a screen: keeps cookies by host, follows redirects, and sends the form of the page it is on. */
const MAX_REDIRECTS = 20;

export class ScriptedBrowser {
  /** The page that is shown. */
  url = new URL("about:blank");
  status = 0;
  text = "";
  /** By host and port. Paths are ignored: the pages under test have one cookie each. */
  readonly #cookies = new Map<string, Map<string, string>>();

  async open(url: string | URL): Promise<void> {
    await this.#go(new URL(url), { method: "GET" });
  }

  /** Fills the fields of the page's form in, beside those that are in it already, and sends it. */
  async submit(fields: Readonly<Record<string, string>>): Promise<void> {
    const action = /<form method="post" action="([^"]*)"/.exec(this.text)?.[1];
    if (action === undefined) throw new Error(`There is no form on ${this.url}:\n${this.text}`);
    const hidden = [...this.text.matchAll(/type="hidden" name="([^"]*)" value="([^"]*)"/g)].map(
      ([, name = "", value = ""]) => [name, value] as const,
    );
    const body = new URLSearchParams({ ...Object.fromEntries(hidden), ...fields });
    await this.#go(new URL(action, this.url), { method: "POST", body });
  }

  /** Logs in and allows what the application asks for, unless the browser is logged in already. */
  async allow(user: { readonly username: string; readonly password: string }): Promise<void> {
    if (this.text.includes('name="password"')) await this.submit(user);
    await this.submit({ decision: "allow" });
  }

  async #go(start: URL, init: { readonly method: string; readonly body?: URLSearchParams }): Promise<void> {
    let url = start;
    let response = await this.#send(url, init);
    for (let hops = 0; response.status === 303 || response.status === 302; hops += 1) {
      if (hops === MAX_REDIRECTS) throw new Error(`${url} redirects without end`);
      url = new URL(String(response.headers.get("location")), url);
      response = await this.#send(url, { method: "GET" });
    }
    this.url = url;
    this.status = response.status;
    this.text = await response.text();
  }

  async #send(url: URL, init: { readonly method: string; readonly body?: URLSearchParams }): Promise<Response> {
    const jar = this.#cookies.get(url.host) ?? new Map<string, string>();
    const headers = jar.size === 0 ? {} : { cookie: [...jar].map((pair) => pair.join("=")).join("; ") };
    const response = await fetch(url, { ...init, headers, redirect: "manual" });
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      jar.set(name, value);
    }
    this.#cookies.set(url.host, jar);
    return response;
  }
}
