/** Sends one call to a protected resource with a token, and sends it again with another token if the server refuses the first. */
import { SdkError } from "../../errors/sdk-error.js";
import { type Challenge, parseChallenges } from "../grammar/challenge.js";
import { parseScope } from "../grammar/scope.js";
import type { RefusedCall, Renewed, ResourceSession, TokenWait } from "./resource-session.js";
import { exceeds } from "./scope-selection.js";
import type { TokenRecord } from "./token-record.js";

/** The head of a response, of `fetch` or of a connection's HTTP client. */
export interface AnswerHead {
  readonly status: number;
  /** A header by its name in lower case. */
  header(name: string): string | undefined;
  /** Called if the body will not be read. */
  discard(): void;
}

export interface AuthorizedCall<Answer extends AnswerHead> extends TokenWait {
  readonly method: string;
  readonly url: URL;
  /** Makes the call with these headers besides its own. Called again after a login. */
  send(headers: Readonly<Record<string, string>>): Promise<Answer>;
}

/** Tokens that one call may request. */
const MAX_RENEWALS = 3;

/** @throws {SdkError} `authorization-failed` or `authorization-required` if the client gets no token that the server accepts. */
export async function callAuthorized<Answer extends AnswerHead>(
  session: ResourceSession,
  call: AuthorizedCall<Answer>,
): Promise<Answer> {
  let record = await session.current(call);
  let last: Renewed | undefined;
  for (let renewals = 0; ; renewals++) {
    const answer = await send(session, call, record);
    const refusal = refusalIn(answer, record, last);
    if (refusal === undefined) {
      if (record) session.stepUps.succeeded(record.requestedScopes);
      return answer;
    }
    answer.discard();
    if (renewals === MAX_RENEWALS || isFinal(refusal, last)) throw stillRefused(session.url, refusal);
    const renewing = session.renew(refusal, call.signal?.());
    call.hold?.(renewing);
    last = await renewing;
    record = last.record;
  }
}

async function send<Answer extends AnswerHead>(
  session: ResourceSession,
  call: AuthorizedCall<Answer>,
  record: TokenRecord | undefined,
): Promise<Answer> {
  const { method, url } = call;
  const { binding } = session;
  if (record === undefined) return call.send({});
  const { scheme, accessToken } = record;
  const authorization = `${scheme} ${accessToken}`;
  if (scheme === "Bearer" || binding === undefined) return call.send({ authorization });
  return binding.send({ method, url, accessToken }, async (dpop) => {
    const answer = await call.send({ authorization, dpop });
    const error = answer.status === 401 ? challengeIn(answer)?.parameters.error : undefined;
    return { answer, error, header: (name) => answer.header(name), discard: () => answer.discard() };
  });
}

function refusalIn(
  answer: AnswerHead,
  used: TokenRecord | undefined,
  last: Renewed | undefined,
): RefusedCall | undefined {
  if (answer.status !== 401 && answer.status !== 403) return undefined;
  const challenge = challengeIn(answer);
  const isRefreshed = last?.by === "refresh";
  if (answer.status === 401) return { reason: "login", challenge, used, isRefreshed };
  const isScopes = challenge?.parameters.error === "insufficient_scope";
  return isScopes ? { reason: "scopes", challenge, used, isRefreshed } : undefined;
}

/** The challenge of a Bearer or DPoP scheme. Prefers one with an error or a metadata URL. */
function challengeIn(answer: AnswerHead): Challenge | undefined {
  const challenges = parseChallenges(answer.header("www-authenticate") ?? "");
  const fitting = challenges.filter(({ scheme }) => scheme === "bearer" || scheme === "dpop");
  const tells = ({ parameters }: Challenge) => "error" in parameters || "resource_metadata" in parameters;
  return fitting.find(tells) ?? fitting[0];
}

/** Whether the server refuses a token of the last login although that login asked for everything the server wants. */
function isFinal({ reason, challenge }: RefusedCall, last: Renewed | undefined): boolean {
  if (last?.by !== "login") return false;
  return reason === "login" || !exceeds(parseScope(challenge?.parameters.scope), last.record.requestedScopes);
}

function stillRefused(url: URL, { reason, challenge }: RefusedCall): SdkError {
  const name = `${url.origin}${url.pathname}`;
  if (reason === "login") {
    const message = `${name} refuses the access token that was just issued for it: the server and its authorization server disagree`;
    return new SdkError("authorization-failed", message, { status: 401 });
  }
  const scopes = challenge?.parameters.scope;
  const wanted = scopes === undefined ? "more scopes" : `the scopes ${JSON.stringify(scopes)}`;
  return new SdkError(
    "authorization-failed",
    `${name} still wants ${wanted}, and the authorization server did not grant them`,
    {
      status: 403,
    },
  );
}
