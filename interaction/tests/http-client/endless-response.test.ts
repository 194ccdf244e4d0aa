import type { HttpTarget } from "parley-mcp/client";
import { expect, onTestFinished, vi } from "vitest";
import { connectModern, RawHttpServer } from "../../src/http/raw-http-server.js";
import { verifies } from "../../src/verifies.js";

const CALL_RESULT = { resultType: "complete", content: [{ type: "text", text: "done" }] };

/** Node's own HTTP client, and a `fetch` of the application's. */
const SENDERS: readonly Omit<HttpTarget, "url">[] = [{}, { fetch: (url, init) => fetch(url, init) }];

verifies(
  "client-transport:http:endless-response",
  "an endless event, an endless body and a stream that goes on after the answer are read up to the limit and little more",
  async () => {
    await using server = await RawHttpServer.start();
    // The limit, and what the buffers of both sockets hold.
    const [maxMessageBytes, buffered] = [1_048_576, 16_777_216];
    const kibibytes = "x".repeat(65_536);
    // A connection that closes after a time stays open.
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    for (const http of SENDERS) {
      const { client } = await connectModern(server, { http: { ...http, maxMessageBytes } });
      for (const contentType of ["text/event-stream", "application/json"]) {
        const called = expect(client.callTool("slow")).rejects.toMatchObject({ code: "too-large" });
        const call = await server.next();
        call.stream({ "content-type": contentType });
        call.write("data: ");
        expect(await call.writeEndlessly(kibibytes), contentType).toBeLessThan(maxMessageBytes + buffered);
        await called;
      }
      const called = client.callTool("slow");
      const call = await server.next();
      call.stream();
      call.event({ jsonrpc: "2.0", id: call.message?.id, result: CALL_RESULT });
      expect((await called).content).toEqual(CALL_RESULT.content);
      expect(await call.writeEndlessly(`: ${kibibytes}\n`)).toBeLessThan(buffered);
      await client.close();
    }
  },
);
