/** GET and DELETE of a legacy session: open its standalone stream, and end the session. */
import { SdkError } from "../../errors/sdk-error.js";
import { HttpHeader } from "../../protocol/http-headers.js";
import { CallController } from "./call-controller.js";
import type { EndpointClient, HeaderFields } from "./endpoint-client.js";
import type { HttpAnswer } from "./http-call.js";
import { refusal, sessionExpired, wrongType } from "./http-error.js";
import type { HttpSession } from "./http-session.js";
import { EVENT_STREAM_TYPE, isSuccess, mediaType } from "./post-response.js";
import { timeLimit } from "./time-limit.js";

/** @throws {SdkError} if the response is no event stream. */
export async function openStream(
  endpoint: EndpointClient,
  headers: readonly (HeaderFields | undefined)[],
  controller: CallController,
): Promise<HttpAnswer> {
  const answer = await endpoint.call("GET", [...headers, { accept: EVENT_STREAM_TYPE }], controller);
  const name = endpoint.name("GET");
  if (isSuccess(answer)) {
    if (mediaType(answer) === EVENT_STREAM_TYPE) return answer;
    throw await wrongType(name, EVENT_STREAM_TYPE, answer);
  }
  const hasSession = headers.some((layer) => layer?.[HttpHeader.session] !== undefined);
  const refused = await refusal(name, endpoint.url, answer);
  throw answer.status === 404 && hasSession ? sessionExpired(name) : refused;
}

/**
 * Sends DELETE if there is a session id, and once more if the connection was lost: the server may have closed an idle connection just
 * then, and a session can be deleted twice.
 * @throws {SdkError} if the server does not accept it in time.
 */
export async function endSession(endpoint: EndpointClient, session: HttpSession, timeoutMs: number): Promise<void> {
  if (session.id === undefined) return;
  const name = endpoint.name("DELETE");
  const controller = new CallController();
  const limit = timeLimit(timeoutMs, `${name}: no answer within ${timeoutMs} ms`, controller);
  try {
    const send = () => endpoint.call("DELETE", [session.headers], controller);
    const answer = await send().catch((error: unknown) => {
      if (error instanceof SdkError && error.code === "connection-closed" && !controller.isAborted) return send();
      throw error;
    });
    // 405: clients cannot end sessions of this server. 404: the session has ended already.
    if (isSuccess(answer) || answer.status === 405 || answer.status === 404) answer.discard();
    else throw await refusal(name, endpoint.url, answer);
  } finally {
    limit.end();
  }
}
