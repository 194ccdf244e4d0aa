import { expect } from "vitest";
import { ApprovingServer } from "../../src/oauth/approving-server.js";
import { RawProgram, refreshingProgram } from "../../src/stdio/raw-lines.js";
import { verifies } from "../../src/verifies.js";

/** Clocks of clients that are this far ahead see their tokens expire. Access tokens last ten minutes. */
const EXPIRED_MS = 600_000;

/** A server and a folder that holds the login of its user. */
async function startLoggedIn(): Promise<ApprovingServer> {
  const server = await ApprovingServer.start();
  // The time of a proof would be wrong.
  await (await server.logIn({ dpop: false })).close();
  return server;
}

/** A client in a process of its own that cannot log in. */
function start({ url, folder, clientId }: ApprovingServer, settings: { calls: number; dies?: boolean }): RawProgram {
  return new RawProgram(refreshingProgram({ url, folder, clientId, aheadMs: EXPIRED_MS, ...settings }), 40_000);
}

verifies(
  ["client-auth:refresh:across-processes", "client-auth:refresh:one-flight"],
  "two processes that share a folder make 200 calls at the expiry of their token, and one refresh",
  { deadlineMs: 60_000 },
  async () => {
    await using server = await startLoggedIn();
    await using one = start(server, { calls: 100 });
    await using other = start(server, { calls: 100 });
    expect([await one.lines.next(), await other.lines.next()]).toEqual(["ready", "ready"]);
    one.lines.send("expire\n");
    other.lines.send("expire\n");
    const answers = [await one.lines.next(), await other.lines.next()];

    expect(answers).toEqual(["100 answered", "100 answered"]);
    expect(server.granted).toEqual(["authorization_code", "refresh_token"]);
  },
);

verifies(
  "client-auth:refresh:killed",
  "a process that is killed between the answer to its refresh and the store costs the next one no login",
  // The lock of a process that was killed is taken over after ten seconds.
  { deadlineMs: 60_000 },
  async () => {
    await using server = await startLoggedIn();
    await using killed = start(server, { calls: 1, dies: true });
    await killed.lines.next();
    killed.lines.send("expire\n");
    const [, signal] = await killed.exited;
    expect(signal).toBe("SIGKILL");
    expect(server.granted).toEqual(["authorization_code", "refresh_token"]);
    const client = await server.connect({ dpop: false, now: () => Date.now() + EXPIRED_MS });
    const result = await client.callTool("add");
    await client.close();

    expect(result.content).toEqual([{ type: "text", text: "5" }]);
    expect(server.granted).toEqual(["authorization_code", "refresh_token", "refresh_token"]);
  },
);
