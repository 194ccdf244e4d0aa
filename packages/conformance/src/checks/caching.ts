/** Caching hints of modern results. */
import type { ActiveCheck, CheckArea } from "../judge/check.js";
import { notApplicable, notObserved, want, wantResult } from "../judge/expectations.js";
import type { Need } from "../judge/needs.js";
import { LIST_NAMES } from "../judge/offer.js";
import type { Probe } from "../judge/probe.js";
import { type Answer, resultOf } from "../target/answer.js";
import type { JsonObject } from "../wire/json-rpc.js";

interface Cacheable {
  readonly method: string;
  readonly need?: Need;
  readonly params?: (probe: Probe) => JsonObject;
}

const CACHEABLE: readonly Cacheable[] = [
  { method: "server/discover" },
  { method: "tools/list", need: "tools" },
  { method: "prompts/list", need: "prompts" },
  { method: "resources/list", need: "resources" },
  { method: "resources/templates/list", need: "resources" },
  { method: "resources/read", need: "a-resource", params: (probe) => ({ uri: probe.offer.resources[0]?.uri }) },
];

/** Results that must not be cached. */
const UNCACHEABLE = ["tools/call", "prompts/get", "completion/complete"];

function nameOf(method: string): string {
  return method.replaceAll("/", "-");
}

function hintsCheck({ method, need, params }: Cacheable): ActiveCheck {
  return {
    id: `cache-hints-${nameOf(method)}`,
    requirement: "meta:cache-hints:present",
    title: `The result of ${method} has ttlMs and cacheScope.`,
    mend: "Add ttlMs and cacheScope to every complete result of this method.",
    needs: need === undefined ? [] : [need],
    async run(probe) {
      const result = wantResult(await probe.askOnce(method, params?.(probe) ?? {}));
      if ((result.resultType ?? "complete") !== "complete") notObserved("the result is not complete");
      want("ttlMs" in result && "cacheScope" in result, "ttlMs and cacheScope", Object.keys(result));
    },
  };
}

function hintsOf(answer: Answer): JsonObject | undefined {
  const result = resultOf(answer);
  // The ttlMs of a task says for how long the task is kept.
  if (result === undefined || "taskId" in result) return undefined;
  return "ttlMs" in result || "cacheScope" in result ? result : undefined;
}

export const caching: CheckArea = {
  area: "caching",
  checks: [
    ...CACHEABLE.map(hintsCheck),
    {
      id: "cache-scope-on-pages",
      requirement: "meta:cache-hints:same-scope-on-pages",
      title: "All pages of one list have the same cacheScope.",
      mend: "Decide the cacheScope of a list once for all of its pages.",
      async run(probe) {
        const paged = LIST_NAMES.map((name) => probe.offer.listings[name].pages).filter((pages) => pages.length > 1);
        if (paged.length === 0) notApplicable("every list fits on one page");
        for (const pages of paged) {
          probe.touch(...pages);
          const scopes = new Set(pages.map((page) => resultOf(page)?.cacheScope));
          want(scopes.size === 1, "one cacheScope", [...scopes]);
        }
      },
    },
    {
      id: "cache-ttl",
      requirement: "meta:cache-hints:results",
      title: "Every ttlMs is a whole number of 0 or more.",
      mend: "Send ttlMs as an integer of at least 0.",
      watch(answer) {
        const hints = hintsOf(answer);
        if (!hints || !("ttlMs" in hints)) return false;
        want(Number.isInteger(hints.ttlMs) && Number(hints.ttlMs) >= 0, "an integer of 0 or more", hints.ttlMs);
        return true;
      },
    },
    {
      id: "cache-scope",
      requirement: "meta:cache-hints:present",
      title: 'Every cacheScope is "public" or "private".',
      mend: 'Send cacheScope as "public" or "private".',
      watch(answer) {
        const hints = hintsOf(answer);
        if (!hints || !("cacheScope" in hints)) return false;
        want(hints.cacheScope === "public" || hints.cacheScope === "private", "public or private", hints.cacheScope);
        return true;
      },
    },
    {
      id: "cache-hints-elsewhere",
      requirement: "meta:cache-hints:nowhere-else",
      // The specification lists the results that have hints, and forbids them nowhere.
      atMost: "note",
      title: "The results of tools/call, prompts/get and completion/complete have no caching hints.",
      mend: "Remove ttlMs and cacheScope from the results of these methods.",
      watch(answer) {
        if (!UNCACHEABLE.includes(String(answer.request?.method)) || !resultOf(answer)) return false;
        want(hintsOf(answer) === undefined, "no ttlMs and no cacheScope", hintsOf(answer));
        return true;
      },
    },
  ],
};
