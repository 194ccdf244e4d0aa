/**
 * Redirects that keep method and body and stay on the origin, such as the one from `/mcp` to `/mcp/`. Any other is left
 * to the caller as the answer it is: following it would show credentials and messages to somebody else.
 */
import type { HttpAnswer, HttpCall, SendHttp } from "./http-call.js";

const MAX_REDIRECTS = 5;

/** Whether a response asks for the same call elsewhere. */
export function isRedirect({ status }: HttpAnswer): boolean {
  return status === 307 || status === 308;
}

/** The answer at the end of the redirects that `first` begins, as far as they are followed. */
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

/** Where a response sends its client, if it does. */
export function redirectTarget(url: URL, answer: HttpAnswer): URL | undefined {
  const location = answer.header("location");
  if (location === undefined || !URL.canParse(location, url.href)) return undefined;
  return new URL(location, url);
}
