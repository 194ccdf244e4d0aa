/**
 * Follows redirects that keep method, body and origin (307, 308), such as from `/mcp` to `/mcp/`. Any other redirect is
 * returned as the answer: following it would send credentials and messages to another server.
 */
import type { HttpAnswer, HttpCall, SendHttp } from "./http-call.js";

const MAX_REDIRECTS = 5;

/** Whether the status asks to repeat the call, with its method and body, at another URL. */
export function isRedirect({ status }: HttpAnswer): boolean {
  return status === 307 || status === 308;
}

/** Follows the redirects that start with `first`. Returns the last answer. */
export async function followRedirects(http: SendHttp, call: HttpCall, first: HttpAnswer): Promise<HttpAnswer> {
  let answer = first;
  let url = call.url;
  for (let hops = 0; hops < MAX_REDIRECTS; hops++) {
    const next = redirectWithin(url, answer);
    if (next === undefined) break;
    answer.discard();
    url = next;
    answer = await http({ ...call, url });
  }
  return answer;
}

function redirectWithin(url: URL, answer: HttpAnswer): URL | undefined {
  const target = isRedirect(answer) ? redirectTarget(url, answer) : undefined;
  return target?.origin === url.origin ? target : undefined;
}

/** The URL in the `Location` header, if it is valid. */
export function redirectTarget(url: URL, answer: HttpAnswer): URL | undefined {
  const location = answer.header("location");
  if (location === undefined || !URL.canParse(location, url.href)) return undefined;
  return new URL(location, url);
}
