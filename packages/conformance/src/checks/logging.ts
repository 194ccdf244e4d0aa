/** Log messages, by the level of a connection in the legacy era and by that of a request in the modern one. */
import type { CheckArea } from "../judge/check.js";
import { notObserved, want, wantError, wantResult } from "../judge/expectations.js";
import type { Probe } from "../judge/probe.js";
import type { Answer } from "../target/answer.js";
import { isModern, LOG_LEVEL_KEY } from "../target/envelope.js";
import { isNotification, isObject, type JsonObject } from "../wire/json-rpc.js";

const LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

function logsOf(answer: Answer): JsonObject[] {
  return answer.messages
    .filter(isNotification)
    .filter(({ method }) => method === "notifications/message")
    .map(({ params }) => (isObject(params) ? params : {}));
}

/** The log messages of every allowed call, made at a level. */
async function logsAt(probe: Probe, level: string | undefined): Promise<JsonObject[]> {
  const logs: JsonObject[] = [];
  const modern = isModern(probe.revision);
  if (!modern && level !== undefined) await probe.ask("logging/setLevel", { level });
  for (const { name, arguments: args } of probe.offer.calls) {
    const meta = modern && level !== undefined ? { meta: { [LOG_LEVEL_KEY]: level } } : {};
    for (const log of logsOf(await probe.ask("tools/call", { name, arguments: args }, meta))) logs.push(log);
  }
  return logs;
}

export const logging: CheckArea = {
  area: "logging",
  checks: [
    {
      id: "log-set-level",
      requirement: "logging:set-level",
      title: "logging/setLevel is answered with an empty result.",
      mend: "Answer logging/setLevel with {}.",
      needs: ["logging"],
      async run(probe) {
        wantResult(await probe.ask("logging/setLevel", { level: "info" }));
      },
    },
    {
      id: "log-all-levels",
      requirement: "logging:message:all-levels",
      title: "Each of the eight levels can be set.",
      mend: "Accept debug, info, notice, warning, error, critical, alert and emergency.",
      until: "2025-11-25",
      needs: ["logging"],
      async run(probe) {
        for (const level of LEVELS) wantResult(await probe.ask("logging/setLevel", { level }), `{} for ${level}`);
      },
    },
    {
      id: "log-level-unknown",
      requirement: "logging:set-level:invalid-level",
      title: "An unknown level is refused with -32602.",
      mend: "Answer levels other than the eight with error -32602.",
      needs: ["logging"],
      async run(probe) {
        wantError(await probe.ask("logging/setLevel", { level: "loud" }), -32602);
      },
    },
    {
      id: "log-threshold-legacy",
      requirement: "logging:message:filtered",
      title: "Messages below the level of the connection are not sent.",
      mend: "Compare the level of each message with the one that was set.",
      needs: ["logging", "a-call"],
      async run(probe) {
        const all = await logsAt(probe, "debug");
        if (all.length === 0) notObserved("no allowed call logs");
        const quiet = await logsAt(probe, "emergency");
        const low = quiet.find(({ level }) => level !== "emergency");
        want(low === undefined, "no message below emergency", low);
      },
    },
    {
      id: "log-opt-in",
      requirement: "logging:per-request:opt-in",
      title: "A request without a log level gets no messages.",
      mend: `Send notifications/message only if the request has "${LOG_LEVEL_KEY}".`,
      needs: ["a-call"],
      async run(probe) {
        const [log] = await logsAt(probe, undefined);
        want(log === undefined, "no log message", log);
      },
    },
    {
      id: "log-threshold",
      requirement: "logging:per-request:threshold",
      title: "Messages below the level of the request are not sent.",
      mend: "Compare the level of each message with that of the request.",
      needs: ["logging", "a-call"],
      async run(probe) {
        const all = await logsAt(probe, "debug");
        if (all.length === 0) notObserved("no allowed call logs");
        const low = (await logsAt(probe, "emergency")).find(({ level }) => level !== "emergency");
        want(low === undefined, "no message below emergency", low);
      },
    },
    {
      id: "log-message-levels",
      requirement: "logging:message:fields",
      title: "Every log message has one of the eight levels.",
      mend: "Send level as one of the eight names.",
      watch(answer) {
        const logs = logsOf(answer);
        const odd = logs.find(({ level }) => !LEVELS.includes(String(level)));
        want(odd === undefined, "one of the eight levels", odd?.level);
        return logs.length > 0;
      },
    },
    {
      id: "log-message-data",
      requirement: "logging:message:any-data",
      title: "Every log message has data.",
      mend: "Send data with each message, any JSON value.",
      watch(answer) {
        const logs = logsOf(answer);
        const odd = logs.find((log) => !("data" in log));
        want(odd === undefined, "data", odd);
        return logs.length > 0;
      },
    },
    {
      id: "log-message-logger",
      requirement: "logging:message:fields",
      title: "The logger of a log message is text, if it is there.",
      mend: "Send logger as a string, or leave it out.",
      watch(answer) {
        const logs = logsOf(answer).filter(({ logger }) => logger !== undefined);
        const odd = logs.find(({ logger }) => typeof logger !== "string");
        want(odd === undefined, "a string", odd?.logger);
        return logs.length > 0;
      },
    },
    {
      id: "log-declared",
      requirement: "logging:capability:declared",
      title: "A server that sends log messages declares logging.",
      mend: "Declare the logging capability.",
      watch(answer, probe) {
        const logs = logsOf(answer);
        if (logs.length === 0) return false;
        want(isObject(probe.offer.capabilities.logging), "the logging capability", "log messages without it");
        return true;
      },
    },
  ],
};
