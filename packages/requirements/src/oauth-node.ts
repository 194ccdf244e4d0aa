/** What a program on Node uses for logins: the receiver of redirects, and the store in files. */
import { LOCAL, OVER_HTTP, type Requirements } from "./requirement.js";

const SECURITY = "https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization/security-considerations";

export const oauthNode: Requirements = {
  "client-auth:loopback:login": {
    behavior:
      "A loopback redirect listens on 127.0.0.1, shows the login through the program, and brings its response back.",
    source: { decision: "loopback-redirects" },
    strength: "decision",
    over: OVER_HTTP,
  },
  "client-auth:loopback:foreign-response": {
    behavior:
      "A response without the state of a waiting login is answered with 400, another path with 404, and the login goes on waiting.",
    source: `${SECURITY}#open-redirection`,
    strength: "should",
    over: OVER_HTTP,
  },
  "client-auth:mistakes": {
    behavior:
      "Options of a login that do not exist, credentials beside client, and a receiver that nobody awaited are refused with what to write.",
    source: { decision: "authorization-mistakes" },
    strength: "decision",
    over: LOCAL,
  },
  "client-auth:private-key-kind": {
    behavior:
      "A private key of another kind than its algorithm, a public key or a file name is refused with what was expected.",
    source: { decision: "authorization-mistakes" },
    strength: "decision",
    over: LOCAL,
  },
  "client-auth:durations": {
    behavior:
      "A timeout of a login, of a loopback redirect or of a file store that no timer can hold is refused with the possible range.",
    source: { decision: "finite-durations" },
    strength: "decision",
    over: LOCAL,
  },
  "client-auth:file-store:private": {
    behavior: "Credentials lie in files that only their owner can read, in a folder that only their owner can open.",
    source: `${SECURITY}#token-theft`,
    strength: "must",
    over: OVER_HTTP,
  },
  "client-auth:file-store:survives": {
    behavior: "Another process with the same folder goes on with the tokens of the first, and needs no login.",
    source: { decision: "credential-files" },
    strength: "decision",
    over: OVER_HTTP,
  },
  "client-auth:file-store:killed": {
    behavior:
      "A process that is killed while it writes a token leaves the token before it or the new one as a whole, and its lock passes on.",
    source: { decision: "credential-files" },
    strength: "decision",
    over: OVER_HTTP,
  },
  "client-auth:file-store:corrupt": {
    behavior: "A corrupt file of credentials is reported and leads to a new login.",
    source: { decision: "credential-files" },
    strength: "decision",
    over: OVER_HTTP,
  },
};
