/** Standard input and output: lines, noise, and the end of the program. */
import type { CheckArea } from "../judge/check.js";
import { notApplicable, want, wantResult } from "../judge/expectations.js";
import { CLIENT_CAPABILITIES_KEY, CLIENT_INFO_KEY, initializeParams, REVISION_KEY } from "../target/envelope.js";
import { isObject, isResponse } from "../wire/json-rpc.js";
import { plainMethod } from "./transport-http.js";

const EXIT_MS = 3000;

export const stdio: CheckArea = {
  area: "stdio",
  checks: [
    {
      id: "stdio-blank-lines",
      requirement: "transport:stdio:lines",
      title: "Blank lines are ignored.",
      mend: "Skip lines that hold nothing but space.",
      over: "stdio",
      async run(probe) {
        const peer = await probe.scratch();
        const method = plainMethod(probe);
        const params =
          method === "ping"
            ? {}
            : {
                _meta: {
                  [REVISION_KEY]: probe.revision,
                  [CLIENT_CAPABILITIES_KEY]: {},
                  [CLIENT_INFO_KEY]: { name: "parley-check", version: "0" },
                },
              };
        const message = JSON.stringify({ jsonrpc: "2.0", id: "parley-check-blank", method, params });
        const answer = await peer.send(`\n${message}`, {
          until: (value) => isObject(value) && value.id === "parley-check-blank",
        });
        // Notifications may come at any time.
        const stray = answer.messages.filter((value) => isResponse(value) && value.id !== "parley-check-blank");
        want(stray.length === 0, "no answer to a blank line", stray[0]);
      },
    },
    {
      id: "stdio-both-eras",
      requirement: "transport:stdio:dual-era",
      title: "A modern request and a handshake are both served over one pipe.",
      mend: "Decide the era of each request by its metadata.",
      over: "stdio",
      since: "2026-07-28",
      async run(probe) {
        const legacy = probe.offer.claimed.find((revision) => revision < "2026-07-28");
        if (legacy === undefined) notApplicable("the server speaks no legacy revision");
        const peer = await probe.fresh();
        wantResult(await peer.request("server/discover"));
        wantResult(await peer.request("initialize", initializeParams(legacy), { meta: null }));
      },
    },
    {
      id: "stdio-exit",
      requirement: "transport:stdio:end-of-input",
      title: "The program exits soon after its input has ended.",
      mend: "End the process when standard input ends.",
      over: "stdio",
      async run(probe) {
        const peer = await probe.scratch();
        const end = await peer.hangUp(EXIT_MS);
        want(end.problem?.includes("exited") === true, "the end of the program", end.problem ?? "nothing");
      },
    },
    {
      id: "stdio-messages-alone",
      requirement: "transport:stdio:stream-purity",
      title: "Standard output carries messages alone.",
      mend: "Write logs to standard error.",
      over: "stdio",
      watch({ received, garbage }) {
        want(garbage.length === 0, "a message on each line", garbage[0]);
        return received !== "";
      },
    },
  ],
};
