/** `subscriptions/listen`: its acknowledgment, and what it promises. */
import type { CheckArea } from "../judge/check.js";
import { notApplicable, want, wantRefusedAs } from "../judge/expectations.js";
import type { Probe } from "../judge/probe.js";
import { type Answer, describeAnswer, errorOf } from "../target/answer.js";
import { SUBSCRIPTION_KEY } from "../target/envelope.js";
import { mediaType } from "../wire/http-exchange.js";
import { isObject, type JsonObject } from "../wire/json-rpc.js";

const ACKNOWLEDGED = "notifications/subscriptions/acknowledged";

const EVERYTHING: JsonObject = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };

/** Which capability announces which kind of change. */
const ANNOUNCED_BY: Readonly<Record<string, string>> = {
  toolsListChanged: "tools",
  promptsListChanged: "prompts",
  resourcesListChanged: "resources",
};

function isAcknowledgment(message: unknown): message is JsonObject {
  return isObject(message) && message.method === ACKNOWLEDGED;
}

const LISTEN_ID = "parley-check-listen";

/** Listens until the acknowledgment, or an error. Not applicable if the server has no subscriptions. */
async function listen(probe: Probe, notifications: JsonObject, id: unknown = LISTEN_ID): Promise<Answer> {
  const key = JSON.stringify(["subscriptions/listen", notifications, id]);
  const answer = await probe.once(key, () => listenAlone(probe, notifications, id));
  probe.touch(answer);
  if (errorOf(answer)?.code === -32601) notApplicable("the server does not serve subscriptions/listen");
  return answer;
}

async function listenAlone(probe: Probe, notifications: JsonObject, id: unknown): Promise<Answer> {
  const peer = await probe.fresh();
  const isEnough = (message: unknown) =>
    isObject(message) && (isAcknowledgment(message) || "error" in message || "result" in message);
  const answer = await peer.request("subscriptions/listen", { notifications }, { id, until: isEnough });
  if (probe.kind === "stdio") await peer.notify("notifications/cancelled", { requestId: id });
  return answer;
}

function acknowledgmentOf(answer: Answer): JsonObject {
  const found = answer.messages.find(isAcknowledgment);
  want(found !== undefined, ACKNOWLEDGED, describeAnswer(answer));
  return isObject(found.params) ? found.params : {};
}

function subscriptionIdOf(params: JsonObject): unknown {
  return isObject(params._meta) ? params._meta[SUBSCRIPTION_KEY] : undefined;
}

function honoredOf(params: JsonObject): JsonObject {
  return isObject(params.notifications) ? params.notifications : {};
}

export const subscriptions: CheckArea = {
  area: "subscriptions",
  checks: [
    {
      id: "listen-acknowledged-first",
      requirement: "subscriptions:listen:ack-first-stamped",
      title: "The first message of a subscription acknowledges it.",
      mend: `Send ${ACKNOWLEDGED} before anything else.`,
      async run(probe) {
        const answer = await listen(probe, EVERYTHING);
        const [first] = answer.messages;
        want(isAcknowledgment(first), ACKNOWLEDGED, first ?? describeAnswer(answer));
      },
    },
    {
      id: "listen-id-string",
      requirement: "subscriptions:listen:ack-first-stamped",
      title: "The acknowledgment carries the id of its request, if that is a string.",
      mend: `Put the id of the listen request into _meta["${SUBSCRIPTION_KEY}"].`,
      async run(probe) {
        const id = subscriptionIdOf(acknowledgmentOf(await listen(probe, EVERYTHING)));
        want(id === LISTEN_ID, JSON.stringify(LISTEN_ID), id);
      },
    },
    {
      id: "listen-id-number",
      requirement: "subscriptions:listen:ack-first-stamped",
      title: "The acknowledgment carries the id of its request as a number, if that is a number.",
      mend: "Keep the type of the id: a number stays a number.",
      async run(probe) {
        const id = subscriptionIdOf(acknowledgmentOf(await listen(probe, EVERYTHING, 4711)));
        want(id === 4711, "4711", id);
      },
    },
    {
      id: "listen-filter-present",
      requirement: "subscriptions:listen:honored-filter-narrows-to-advertised",
      title: "The acknowledgment says which notifications will come.",
      mend: "Send notifications in the acknowledgment, an empty object if there are none.",
      async run(probe) {
        const { notifications } = acknowledgmentOf(await listen(probe, EVERYTHING));
        want(isObject(notifications), "an object as notifications", notifications);
      },
    },
    {
      id: "listen-filter-narrow",
      requirement: "subscriptions:listen:honored-filter-narrows-to-advertised",
      title: "The acknowledgment names nothing that was not asked for.",
      mend: "Acknowledge only kinds that the request has.",
      async run(probe) {
        const honored = honoredOf(acknowledgmentOf(await listen(probe, { toolsListChanged: true })));
        const extra = Object.keys(honored).find((kind) => kind !== "toolsListChanged" && Boolean(honored[kind]));
        want(extra === undefined, "toolsListChanged alone", extra);
      },
    },
    {
      id: "listen-filter-announced",
      requirement: "subscriptions:listen:honored-filter-narrows-to-advertised",
      title: "The acknowledgment names no kind of change that the server does not announce.",
      mend: "Leave out kinds whose capability does not say listChanged.",
      async run(probe) {
        const honored = honoredOf(acknowledgmentOf(await listen(probe, EVERYTHING)));
        const { capabilities } = probe.offer;
        const isAnnounced = (name: string | undefined) => {
          const capability = capabilities[name ?? ""];
          return isObject(capability) && capability.listChanged === true;
        };
        const odd = Object.keys(honored).find((kind) => honored[kind] === true && !isAnnounced(ANNOUNCED_BY[kind]));
        want(odd === undefined, "announced kinds", odd);
      },
    },
    {
      id: "listen-empty-filter",
      requirement: "subscriptions:listen:per-stream-filter",
      title: "A subscription that asks for nothing is acknowledged with nothing.",
      mend: "Acknowledge an empty filter with an empty one.",
      async run(probe) {
        const honored = honoredOf(acknowledgmentOf(await listen(probe, {})));
        const extra = Object.keys(honored).find((kind) => honored[kind] === true);
        want(extra === undefined, "no kinds", extra);
      },
    },
    {
      id: "listen-filter-missing",
      requirement: "protocol:error:invalid-params",
      title: "A listen request without a filter is refused with -32602.",
      mend: "Check that params.notifications is an object.",
      since: "2026-07-28",
      async run(probe) {
        const peer = await probe.scratch();
        const isEnough = (message: unknown) => isObject(message);
        const answer = await peer.request("subscriptions/listen", {}, { until: isEnough });
        if (errorOf(answer)?.code === -32601) notApplicable("the server does not serve subscriptions/listen");
        wantRefusedAs(answer, -32602);
      },
    },
    {
      id: "listen-stream",
      requirement: "hosting:http:modern:listen",
      title: "A subscription over HTTP is an event stream.",
      mend: "Answer subscriptions/listen with Content-Type: text/event-stream.",
      over: "http",
      async run(probe) {
        const { http } = await listen(probe, EVERYTHING);
        want(
          http !== undefined && mediaType(http.headers) === "text/event-stream",
          "an event stream",
          http?.headers["content-type"],
        );
      },
    },
    {
      id: "listen-stays-open",
      requirement: "hosting:http:modern:listen",
      title: "A subscription stays open after its acknowledgment.",
      mend: "Keep the response open until the client closes it or the server ends the subscription.",
      over: "http",
      async run(probe) {
        const { http, messages } = await listen(probe, EVERYTHING);
        const isEnded =
          http?.ending === "complete" || messages.some((message) => isObject(message) && "result" in message);
        want(!isEnded, "an open stream", "the end of the stream");
      },
    },
    {
      id: "listen-two-at-once",
      requirement: "subscriptions:listen:client:concurrent-demux",
      title: "Two subscriptions at once are acknowledged under their own ids.",
      mend: "Keep subscriptions apart by the ids of their requests.",
      async run(probe) {
        const [first, second] = await Promise.all([listen(probe, EVERYTHING, "one"), listen(probe, EVERYTHING, "two")]);
        const ids = [first, second].map((answer) => subscriptionIdOf(acknowledgmentOf(answer)));
        want(ids.join() === "one,two", '"one" and "two"', ids);
      },
    },
    {
      id: "listen-cancelled-unanswered",
      requirement: "subscriptions:listen:client-cancels",
      title: "A cancelled subscription is not answered.",
      mend: "Send nothing more for a listen request that was cancelled.",
      over: "stdio",
      async run(probe) {
        const peer = await probe.fresh();
        const id = "parley-check-cancelled";
        const listening = await peer.request(
          "subscriptions/listen",
          { notifications: EVERYTHING },
          { id, until: isObject },
        );
        if (errorOf(listening)?.code === -32601) notApplicable("the server does not serve subscriptions/listen");
        await peer.notify("notifications/cancelled", { requestId: id });
        const fence = await peer.request("server/discover");
        const late = fence.messages.find((message) => isObject(message) && message.id === id);
        want(late === undefined, "no answer", late);
      },
    },
    {
      id: "notifications-unasked",
      requirement: "subscriptions:listen:none-without",
      title: "No change is announced outside of a subscription.",
      mend: "Send list_changed and updated notifications on listen streams only.",
      watch({ messages, request, response }) {
        if (response === undefined || request?.method === "subscriptions/listen") return false;
        const stray = messages.find((message) => isObject(message) && isChange(message));
        want(stray === undefined, "no change notification", stray);
        return true;
      },
    },
  ],
};

function isChange({ method, params }: JsonObject): boolean {
  const isStamped = isObject(params) && isObject(params._meta) && SUBSCRIPTION_KEY in params._meta;
  return /^notifications\/(\w+\/list_changed|resources\/updated)$/.test(String(method)) && !isStamped;
}
