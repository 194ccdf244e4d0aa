import fc from "fast-check";
import { expect, it } from "vitest";
import type { CacheScope } from "../protocol/message-base.js";
import type { JsonObject } from "../runtime/json.js";
import { NO_METHODS } from "./cache-set-up.fixture.js";
import { type CacheStore, InMemoryCacheStore } from "./cache-store.js";
import { ResultCache } from "./result-cache.js";

const LISTS = {
  "tools/list": "notifications/tools/list_changed",
  "prompts/list": "notifications/prompts/list_changed",
} as const;
type List = keyof typeof LISTS;

/** What the server said at one time, and what has happened to it since. */
interface Answer {
  readonly question: string;
  readonly method: List;
  readonly user: string;
  readonly ttlMs: number;
  readonly cacheScope: CacheScope;
  receivedAt: number | undefined;
  isOutdated: boolean;
}

const method = fc.constantFrom<List>("tools/list", "prompts/list");
const ask = fc.record({
  do: fc.constant("ask" as const),
  method,
  cursor: fc.constantFrom("1", "2"),
  fresh: fc.integer({ min: 1, max: 5 }).map((roll) => roll === 1),
});
const step = fc.oneof(
  { weight: 6, arbitrary: ask },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("settle" as const), count: fc.integer({ min: 1, max: 20 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("advance" as const), ms: fc.integer({ min: 1, max: 8 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("change" as const), method }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("log-in" as const), user: fc.constantFrom("ada", "bob") }) },
);
const hint = fc.record({
  ttlMs: fc.integer({ min: -1, max: 20 }),
  cacheScope: fc.constantFrom<CacheScope>("public", "private"),
});

/** Calls take effect when they are made and settle when the scheduler says so, as over a network. */
function distant(scheduler: fc.Scheduler): CacheStore {
  const store = new InMemoryCacheStore({ maxEntries: 5 });
  const later = <Value>(value: Value) => scheduler.schedule(Promise.resolve(value));
  return {
    get: (group, key) => later(store.get(group, key)),
    set: (group, key, entry) => later(store.set(group, key, entry)),
    delete: (group, key) => later(store.delete(group, key)),
    deleteGroup: (group) => later(store.deleteGroup(group)),
  };
}

it("whatever is asked, changes and is answered meanwhile, nothing stale, outdated or of another user is served", async () => {
  let served = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(step, { maxLength: 40, size: "max" }),
      fc.infiniteStream(hint),
      async (scheduler, steps, hints) => {
        let now = 0;
        let user = "ada";
        const answers: Answer[] = [];
        const options = { store: distant(scheduler), now: () => now, authContext: () => user };
        const cache = new ResultCache(options, { capabilities: {} }, NO_METHODS, (error) =>
          expect.unreachable(error.message),
        );

        const ask = async (method: List, params: JsonObject, fresh: boolean): Promise<void> => {
          const question = JSON.stringify([method, params]);
          const asker = user;
          const askedAt = now;
          const outdated = new Set(answers.filter((answer) => answer.isOutdated));
          let own: number | undefined;
          const query = { revision: "2026-07-28", method, params } as const;
          const result = await cache.request(query, { fresh, sentHeaders: [] }, async () => {
            own = answers.length;
            const { ttlMs, cacheScope } = hints.next().value;
            const answer: Answer = {
              question,
              method,
              user: asker,
              ttlMs,
              cacheScope,
              receivedAt: undefined,
              isOutdated: false,
            };
            answers.push(answer);
            await scheduler.schedule(Promise.resolve());
            answer.receivedAt = now;
            return { resultType: "complete", ttlMs, cacheScope, serial: own };
          });
          if (own !== undefined) return expect(result.serial).toBe(own);
          served += 1;
          const answer = answers[Number(result.serial)];
          expect(fresh).toBe(false);
          expect(answer?.question).toBe(question);
          expect(answer?.cacheScope === "public" || answer?.user === asker).toBe(true);
          expect(askedAt).toBeLessThan(Number(answer?.receivedAt) + Number(answer?.ttlMs));
          expect(outdated.has(answer as Answer)).toBe(false);
        };

        const asked: Promise<void>[] = [];
        for (const step of steps) {
          if (step.do === "ask") asked.push(ask(step.method, { cursor: step.cursor }, step.fresh));
          else if (step.do === "advance") now += step.ms;
          else if (step.do === "log-in") user = step.user;
          else if (step.do === "settle") await scheduler.waitNext(Math.min(step.count, scheduler.count()));
          else {
            for (const answer of answers) if (answer.method === step.method) answer.isOutdated = true;
            cache.notified(LISTS[step.method], {});
          }
        }
        await scheduler.waitFor(Promise.all(asked));
      },
    ),
    { numRuns: 300 },
  );
  expect(served).toBeGreaterThan(100);
}, 30_000);
