import { beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { type PasswordAttempt, PasswordChecks } from "./password-checks.js";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
  onTestFinished(() => void vi.useRealTimers());
});

/** Checks that end when told to, and the order in which they began. Equal attempts are checked in the order of their arrival. */
function checksUnderTest({ isRight = true } = {}) {
  let lots = 0;
  const checks = new PasswordChecks(1, Date.now, () => lots++);
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const attempt = (address: string, name = "alice", isKnown = false) =>
    checks.run({ address, name, isUser: name === "alice", isKnown } satisfies PasswordAttempt, async () => {
      begun.push(`${address} ${name}`);
      await new Promise<void>((resolve) => ends.push(resolve));
      return isRight;
    });
  /** Ends checks in the order in which they began, until none runs. */
  const finish = async (count = Number.POSITIVE_INFINITY) => {
    await turn();
    for (let ended = 0; ended < count && ends.length > 0; ended++) {
      ends.shift()?.();
      await turn();
    }
  };
  return { begun, attempt, finish };
}

/** A few microtasks lie between an attempt, or the end of a check, and the begin of the next; a turn of the event loop covers them. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

it("checks two passwords at one time, so that threads are left for tokens", async () => {
  const { begun, attempt, finish } = checksUnderTest();
  const all = Promise.all(["a", "b", "c"].map((address) => attempt(address)));
  await turn();
  expect(begun).toEqual(["a alice", "b alice"]);
  await finish();
  expect(begun).toEqual(["a alice", "b alice", "c alice"]);
  expect(await all).toEqual([true, true, true]);
});

it("lets addresses take turns, so that a flood from ten of them delays another one by ten checks", async () => {
  const { begun, attempt, finish } = checksUnderTest();
  const flood = Array.from({ length: 60 }, (_, index) => attempt(`flood${index % 10}`, `n${index}`));
  const user = attempt("user", "bob");
  await finish(12);
  expect(begun.indexOf("user bob")).toBeGreaterThan(0);
  expect(begun.indexOf("user bob")).toBeLessThanOrEqual(12);
  await finish();
  expect(await user).toBe(true);
  expect(await Promise.all(flood)).not.toContain(undefined);
});

it("lets the second attempt of an address wait for the first ones of others, also after some were checked", async () => {
  const { begun, attempt, finish } = checksUnderTest();
  void [attempt("x", "1"), attempt("x", "2"), attempt("a", "1"), attempt("a", "2"), attempt("b", "1")];
  await finish(2);
  void attempt("c", "1");
  await finish();
  expect(begun).toEqual(["x 1", "x 2", "a 1", "b 1", "c 1", "a 2"]);
});

it("refuses the ninth waiting attempt of an address, and the third with one name", async () => {
  const { attempt, finish } = checksUnderTest();
  void [attempt("x"), attempt("y")];
  const named = [1, 2, 3].map(() => attempt("a", "same"));
  expect(await named[2]).toBeUndefined();
  const others = Array.from({ length: 7 }, (_, index) => attempt("a", `n${index}`));
  expect(await others[6]).toBeUndefined();
  await finish();
  expect(await Promise.all([...named.slice(0, 2), ...others.slice(0, 6)])).not.toContain(undefined);
});

it("refuses the last attempt of a flood for the first one of another address, and another one if all are the first", async () => {
  const { attempt, finish } = checksUnderTest();
  void [attempt("x"), attempt("y")];
  const flood = [0, 1].flatMap((turn) =>
    Array.from({ length: 32 }, (_, index) => attempt(`f${index}`, `n${turn}${index}`)),
  );
  const users = Array.from({ length: 33 }, (_, index) => attempt(`u${index}`, `u${index}`));
  expect(await Promise.all(flood.slice(32))).toEqual(Array.from({ length: 32 }));
  expect(await users[32]).toBeUndefined();
  await finish();
  expect(await Promise.all([...flood.slice(0, 32), ...users.slice(0, 32)])).not.toContain(undefined);
});

it("checks known attempts first, also if the queue is full", async () => {
  const { begun, attempt, finish } = checksUnderTest();
  void [attempt("x"), attempt("y")];
  const flood = Array.from({ length: 64 }, (_, index) => attempt(`f${index}`, `n${index}`));
  const user = attempt("u", "bob", true);
  expect(await flood[63]).toBeUndefined();
  await finish(1);
  expect(begun.at(-1)).toBe("u bob");
  await finish();
  expect(await user).toBe(true);
});

it("gives the place of a check that fails to the next attempt", async () => {
  const checks = new PasswordChecks(1, Date.now);
  const attempt = { address: "a", name: "alice", isUser: true, isKnown: false };
  const fail = () => checks.run(attempt, () => Promise.reject(new Error("no threads")));
  const failures = Promise.allSettled([fail(), fail(), fail()]);
  expect(await checks.run({ ...attempt, address: "b" }, async () => true)).toBe(true);
  expect((await failures).map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
});

it("checks a user at another network before a flood from many addresses of one site", async () => {
  const { begun, attempt, finish } = checksUnderTest();
  const flood = Array.from({ length: 66 }, (_, index) => attempt(`2001:db8:0:${index.toString(16)}::1`, `n${index}`));
  const user = attempt("2001:db9::1", "alice");
  await finish(1);
  expect(begun[2]).toBe("2001:db9::1 alice");
  expect(await flood[65]).toBeUndefined();
  await finish();
  expect(await user).toBe(true);
});

it("checks networks with failures after others, until the failures are forgotten", async () => {
  const { begun, attempt, finish } = checksUnderTest({ isRight: false });
  void attempt("192.0.2.1", "a");
  await finish();
  const both = async (name: string) => {
    void [attempt("x", name), attempt("y", name), attempt("192.0.2.9", name), attempt("198.51.100.1", name)];
    await finish();
    return begun.slice(-2);
  };
  expect(await both("b")).toEqual(["198.51.100.1 b", "192.0.2.9 b"]);
  vi.setSystemTime(Date.now() + 3 * 3_600_000);
  expect(await both("c")).toEqual(["192.0.2.9 c", "198.51.100.1 c"]);
});

it("checks a user of a network that has not tried yet before 150 networks that try again and again", async () => {
  const { begun, attempt, finish } = checksUnderTest({ isRight: false });
  const tryAll = () => Array.from({ length: 150 }, (_, index) => attempt(`10.0.${index}.1`));
  const first = tryAll();
  await finish(10);
  const again = tryAll();
  void attempt("192.0.2.1");
  await finish(10);
  expect(begun.indexOf("192.0.2.1 alice")).toBeGreaterThan(0);
  await finish();
  expect((await Promise.all([...first, ...again])).filter((result) => result === undefined).length).toBeGreaterThan(
    200,
  );
});

it("checks a user who was refused 15 times before attackers who tried 16 times", async () => {
  const { begun, attempt, finish } = checksUnderTest({ isRight: false });
  const tryAll = () => Array.from({ length: 18 }, (_, index) => attempt(`10.0.${index}.1`));
  for (let round = 0; round < 15; round++) {
    void tryAll();
    expect(await attempt("192.0.2.1")).toBeUndefined();
  }
  void tryAll();
  await finish();
  void tryAll();
  void attempt("192.0.2.1");
  await vi.advanceTimersByTimeAsync(2_000);
  await finish(1);
  expect(begun.at(-1)).toBe("192.0.2.1 alice");
  await finish();
});

it("draws lots among equal attempts", async () => {
  const lots = [0, 0, 2, 3, 1];
  const checks = new PasswordChecks(1, Date.now, () => lots.shift() ?? 0);
  const begun: string[] = [];
  const attempt = (address: string) =>
    checks.run({ address, name: "alice", isUser: true, isKnown: false }, async () => {
      begun.push(address);
      return turn().then(() => false);
    });
  await Promise.all(["x", "y", "a", "b", "c"].map(attempt));
  expect(begun).toEqual(["x", "y", "c", "a", "b"]);
});

it("lets a user in who was refused, although 150 networks keep all places with few attempts each", async () => {
  let draw = () => 1;
  const checks = new PasswordChecks(1, Date.now, () => draw());
  const attempt = (address: string, isRight: boolean) =>
    checks.run({ address, name: "alice", isUser: true, isKnown: false }, async () => {
      await new Promise((resolve) => setTimeout(resolve, 100));
      return isRight;
    });
  let attacks = 0;
  const attack = (): void => void attempt(`10.0.${attacks++ % 150}.1`, false);
  const attackTimes = (count: number) => Array.from({ length: count }, attack);
  attackTimes(100);
  for (let tries = 0; tries < 5; tries++) expect(await attempt("192.0.2.1", true)).toBeUndefined();
  draw = lehmerNumbers();
  // Uses up the checks of the name, so that further attempts wait.
  for (let index = 0; index < 110; index++) {
    await vi.advanceTimersByTimeAsync(50);
    attack();
  }
  attackTimes(30);

  let isIn: boolean | undefined;
  for (let tries = 0; tries < 10 && !isIn; tries++) {
    const answered = attempt("192.0.2.1", true);
    for (let index = 0; index < 40; index++) {
      attack();
      await vi.advanceTimersByTimeAsync(500);
    }
    isIn = await answered;
  }

  expect(isIn).toBe(true);
});

/** Numbers from 0 to 1 that are the same in each run. */
function lehmerNumbers(): () => number {
  let state = 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

it("checks one name 50 times for networks that tried before, then once in two seconds, and other names meanwhile", async () => {
  const { begun, attempt, finish } = checksUnderTest({ isRight: false });
  for (let index = 0; index < 51; index++) {
    void attempt(`10.0.0.${index}`);
    await finish();
  }
  const late = attempt("10.0.0.60");
  void attempt("10.0.0.60", "bob");
  await finish();
  expect(begun.slice(50)).toEqual(["10.0.0.50 alice", "10.0.0.60 bob"]);
  await vi.advanceTimersByTimeAsync(2_000);
  await finish();
  expect(await late).toBe(false);
  expect(vi.getTimerCount()).toBe(0);
});

it("checks one name 1,000 times for networks that did not try before, then once in two seconds, also after a flood of names", async () => {
  const checks = new PasswordChecks(1, Date.now);
  const attempt = (index: number, name = "alice") => {
    const address = `10.${index >> 8}.${index & 255}.1`;
    return checks.run({ address, name, isUser: name === "alice", isKnown: false }, async () => false);
  };
  for (let index = 0; index < 1_000; index++) expect(await attempt(index)).toBe(false);
  for (let index = 1_000; index < 11_001; index++) await attempt(index, `name-${index}`);
  let isChecked = false;
  const late = attempt(11_001).then(() => (isChecked = true));
  await vi.advanceTimersByTimeAsync(1_999);
  expect(isChecked).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  await late;
});

it("lets 16 attempts with one name wait, and each for 20 seconds at most", async () => {
  const { attempt, finish } = checksUnderTest();
  void [attempt("x", "1"), attempt("y", "2")];
  const named = Array.from({ length: 17 }, (_, index) => attempt(`10.${index}.0.1`));
  expect(await named[16]).toBeUndefined();
  await vi.advanceTimersByTimeAsync(20_000);
  expect(new Set(await Promise.all(named))).toEqual(new Set([undefined]));
  await finish();
});
