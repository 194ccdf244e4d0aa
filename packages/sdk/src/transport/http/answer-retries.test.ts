import { describe, expect, it } from "vitest";
import {
  answerTo,
  legacy,
  openQuietSession,
  openSession,
  settle,
  startStreamable,
} from "./transport-set-up.fixture.js";

/** A transport in a session, whose waits end at once. `waits` has their times, without jitter. */
async function inSession(wait: (ms: number) => Promise<void> = async () => undefined) {
  const waits: number[] = [];
  const streams = {
    maxAttempts: 3,
    maxRetryMs: 5_000,
    random: () => 0,
    wait: (ms: number) => {
      waits.push(ms);
      return wait(ms);
    },
  };
  const setUp = startStreamable({ streams });
  await openQuietSession(setUp);
  return { ...setUp, waits };
}

describe("an answer of the client", () => {
  it.each([429, 502, 503, 504])("is sent again after a refusal with %i, to the same session", async (status) => {
    const { transport, http, waits } = await inSession();
    const sent = transport.send(answerTo("q-1"));
    (await http.next()).respond(status, { "retry-after": "2" });
    const again = await http.next();
    again.accept();
    await sent;
    expect(again.message).toEqual(answerTo("q-1"));
    expect(again.header("mcp-session-id")).toBe("s-1");
    expect(waits).toEqual([2_000]);
  });

  it("is sent again after a lost connection, and waits longer each time", async () => {
    const { transport, http, waits } = await inSession();
    const sent = transport.send(answerTo("q-1"));
    for (let attempt = 0; attempt < 3; attempt += 1) (await http.next()).fail(new TypeError("fetch failed"));
    (await http.next()).accept();
    await sent;
    expect(waits).toEqual([1_000, 2_000, 4_000]);
  });

  it("waits no longer than maxRetryMs for each time that the server names", async () => {
    const { transport, http, waits } = await inSession();
    const sent = transport.send(answerTo("q-1"));
    (await http.next()).respond(503, { "retry-after": "86400" });
    (await http.next()).accept();
    await sent;
    expect(waits).toEqual([5_000]);
  });

  it("is given up after the last attempt, and at once for another refusal", async () => {
    const { transport, http, waits } = await inSession();
    const sent = transport.send(answerTo("q-1"));
    for (let attempt = 0; attempt < 4; attempt += 1) (await http.next()).respond(503);
    await expect(sent).rejects.toMatchObject({ code: "http-error", status: 503 });
    expect(waits).toHaveLength(3);

    const refused = transport.send(answerTo("q-2"));
    (await http.next()).respond(400);
    await expect(refused).rejects.toMatchObject({ status: 400 });
    expect(waits).toHaveLength(3);
  });

  it("is given up with its session", async () => {
    let goOn: () => void = () => undefined;
    const { transport, http } = await inSession(
      () =>
        new Promise<void>((resolve) => {
          goOn = resolve;
        }),
    );
    const sent = transport.send(answerTo("q-1"));
    (await http.next()).respond(503);
    await settle();
    void openSession({ transport, http, received: [], errors: [], closings: [] }, { session: "s-2" });
    await settle();
    goOn();
    await expect(sent).rejects.toMatchObject({ status: 503 });

    const late = transport.send(legacy(7, "ping"));
    void transport.close();
    await expect(late).rejects.toMatchObject({ code: "connection-closed" });
  });

  it("is not sent again without a session", async () => {
    const { transport, http } = startStreamable();
    const sent = transport.send(answerTo("q-1"));
    (await http.next()).respond(503);
    await expect(sent).rejects.toMatchObject({ status: 503 });
  });

  it.each([
    ["64 of them", 65, ""],
    ["1 MiB of them", 3, "x".repeat(500_000)],
  ])("waits with no more than %s", async (_, count, text) => {
    const { transport, http } = await inSession(() => new Promise(() => undefined));
    const sent = Array.from({ length: count }, (_each, id) => transport.send(answerTo(`q-${id}`, { text })));
    for (const each of sent.slice(0, -1)) each.catch(() => undefined);
    for (let call = 0; call < count; call += 1) (await http.next()).respond(503);
    await expect(sent.at(-1)).rejects.toMatchObject({ status: 503 });
    expect(http.calls.filter(({ message }) => message?.id === `q-${count - 2}`)).toHaveLength(1);
  });
});
