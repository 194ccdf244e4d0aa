/** Advice for error messages of failed connections, by the error code of the runtime. */

const NOTHING_LISTENS = "nothing listens there: check that the server runs, and the host and port of its address";
const UNKNOWN_HOST = "the host name is not known: check it for typos";
const UNTRUSTED =
  "its certificate is signed by nobody this process trusts: start the process with NODE_EXTRA_CA_CERTS naming a file " +
  "with the certificate of the issuer";
const NO_TLS = "the server does not speak TLS there: use an http: URL, or the port that serves https:";
const NOT_HTTP = "the answer is not HTTP: if the server speaks TLS there, use an https: URL";

const ADVICE: ReadonlyMap<unknown, string> = new Map([
  ["ECONNREFUSED", NOTHING_LISTENS],
  ["ConnectionRefused", NOTHING_LISTENS],
  ["ENOTFOUND", UNKNOWN_HOST],
  ["EAI_AGAIN", UNKNOWN_HOST],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", UNTRUSTED],
  ["SELF_SIGNED_CERT_IN_CHAIN", UNTRUSTED],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", UNTRUSTED],
  ["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", UNTRUSTED],
  ["EPROTO", NO_TLS],
  ["ERR_SSL_WRONG_VERSION_NUMBER", NO_TLS],
  ["ERR_SSL_PACKET_LENGTH_TOO_LONG", NO_TLS],
  ["HPE_INVALID_CONSTANT", NOT_HTTP],
  ["ECONNRESET", "the server closed the connection: if it speaks TLS there, use an https: URL"],
  ["EADDRINUSE", "another process listens there: end it, or choose another address (port 0 takes any that is free)"],
]);

/** Causes to search: `fetch` wraps the socket error, and this SDK wraps that of `fetch`. */
const MAX_DEPTH = 4;

/** The known code of an error or of one of its causes. */
function networkCode(thrown: unknown): string | undefined {
  let error = thrown;
  for (let depth = 0; depth < MAX_DEPTH && error instanceof Error; depth++) {
    if ("code" in error && ADVICE.has(error.code)) return String(error.code);
    error = error.cause;
  }
  return undefined;
}

/** Text to append to an error message. Empty for codes without advice. */
export function networkAdvice(thrown: unknown): string {
  const advice = ADVICE.get(networkCode(thrown));
  return advice === undefined ? "" : `; ${advice}`;
}

/** Whether the connection was refused: no process listens at the address. */
export function isRefused(thrown: unknown): boolean {
  return ADVICE.get(networkCode(thrown)) === NOTHING_LISTENS;
}
