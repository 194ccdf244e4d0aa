/** The browser step of a login: the referee prints a URL, and somebody has to log in there and allow it. */
import { PASSWORD, USER } from "./registered.js";

/** Follows a login to its end: the redirect that brings the code to the referee. */
export async function completeLogin(url: string): Promise<void> {
  const loginPage = await fetch(url);
  const cookie = `${loginPage.headers.get("set-cookie")}`.split(";", 1)[0] ?? "";
  const consentPage = await submit(url, await loginPage.text(), cookie, { username: USER, password: PASSWORD });
  // The last redirect leads to the referee.
  await submit(url, await consentPage.text(), cookie, { decision: "allow" });
}

/** Sends the form of a page with its hidden inputs. */
function submit(url: string, page: string, cookie: string, fields: Record<string, string>): Promise<Response> {
  const action = /<form method="post" action="([^"]*)"/.exec(page)?.[1];
  if (action === undefined) throw new Error(`The page of the authorization server has no form:\n${page}`);
  const hidden = [...page.matchAll(/type="hidden" name="([^"]*)" value="([^"]*)"/g)];
  const values = Object.fromEntries(hidden.map(([, name = "", value = ""]) => [name, value]));
  const body = new URLSearchParams({ ...values, ...fields });
  return fetch(new URL(action, url), { method: "POST", body, headers: { cookie } });
}
