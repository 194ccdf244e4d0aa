/** Reconnecting: what a client restores after a connection was lost, and being called back about changes. */
import { REOPENED, type Requirements } from "./requirement.js";

export const reconnecting: Requirements = {
  "client:reconnect:calls-go-on": {
    behavior: "After the connection was lost it is opened again, and a call made meanwhile is sent then and answered.",
    source: { decision: "reconnecting" },
    strength: "decision",
    over: REOPENED,
  },
  "client:reconnect:pending-rejects": {
    behavior:
      "A call that was pending when the connection was lost rejects with connection-closed and is not sent again.",
    source: { decision: "reconnecting" },
    strength: "decision",
    over: REOPENED,
  },
  "client:reconnect:subscription-restored": {
    behavior: "A subscription outlives the connection: it says that it was restored, and goes on hearing of changes.",
    source: { decision: "reconnecting" },
    strength: "decision",
    over: REOPENED,
  },
  "client:reconnect:same-revision": {
    behavior: "The connection is opened again in the revision that was found before, without another probe.",
    source: { decision: "reconnecting" },
    strength: "decision",
    over: REOPENED,
  },
  "client:reconnect:bounded": {
    behavior:
      "After as many failed attempts as allowed the client is closed: calls and subscriptions reject, onClose is called.",
    source: { decision: "reconnecting" },
    strength: "decision",
    over: REOPENED,
  },
  "client:reconnect:impatient-call": {
    behavior: "A call that waits for the connection still obeys its own timeout and its signal.",
    source: { decision: "reconnecting" },
    strength: "decision",
    over: REOPENED,
  },
  "client:reconnect:off": {
    behavior: "With reconnect off, a lost connection stays lost, and onClose is called at once.",
    source: { decision: "reconnecting" },
    strength: "decision",
    over: REOPENED,
  },
  "client:reconnect:close-is-final": {
    behavior: "Closing the client while it waits to connect again ends the attempts.",
    source: { decision: "reconnecting" },
    strength: "decision",
    over: REOPENED,
  },
  "client:reconnect:close-ends-subscriptions": {
    behavior:
      "Closing the client ends the loop of a subscription at once and without an error, also while it is being restored.",
    source: { decision: "reconnecting" },
    strength: "decision",
    over: REOPENED,
  },
  "client:list-changed:auto-refresh": {
    behavior:
      "With refresh, each change of a list fetches it anew, past the cache, and calls back with all of its items.",
    source: { decision: "change-callbacks" },
    strength: "decision",
    needs: ["session"],
  },
  "client:list-changed:callback-signal": {
    behavior: "Without refresh, each change of a list calls back and nothing is fetched.",
    source: { decision: "change-callbacks" },
    strength: "decision",
    needs: ["session"],
  },
  "client:list-changed:callback-gated": {
    behavior: "A list whose changes the server does not announce never calls back.",
    source: { decision: "change-callbacks" },
    strength: "decision",
    needs: ["session"],
  },
  "client:list-changed:callback-failures": {
    behavior: "A callback or a refresh that fails is reported, and the next change calls back all the same.",
    source: { decision: "change-callbacks" },
    strength: "decision",
    needs: ["session"],
  },
};
