/** Host and Origin on loopback: only what a URL parser takes for this machine gets in. */
import { HostChecks } from "../../../packages/sdk/src/hosting/http/host-checks.js";
import { HttpRefusal } from "../../../packages/sdk/src/hosting/http/http-refusal.js";
import { mutateText } from "../mutate-text.js";
import { requestWith } from "../request-with.js";
import { demand, demandEqual, field, type Target } from "../target.js";

const HOSTS: readonly string[] = [
  ...["localhost", "localhost:3000", "127.0.0.1", "127.0.0.1:80", "[::1]", "[::1]:3000", "LOCALHOST:65535"],
  ...[
    "evil.example",
    "localhost.evil.example",
    "mcp.example.com",
    "mcp.example.com:8443",
    "0.0.0.0",
    "[::ffff:127.0.0.1]",
  ],
];
const ORIGINS: readonly string[] = [
  ...HOSTS.flatMap((host) => [`http://${host}`, `https://${host}`]),
  "null",
  "https://app.example",
];
const TOKENS: readonly string[] = [
  ...[
    "localhost",
    "127.0.0.1",
    "[::1]",
    "@",
    ":",
    "/",
    "\\",
    ".",
    "#",
    "?",
    "%",
    " ",
    "\t",
    "\0",
    ":80",
    ":99999",
    "http://",
  ],
  ...["evil.example", "%2e", "é", "\xa0", "[", "]", ",", "user:pass@", "ws://", "file://"],
];
const LOOPBACK: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);

const checks = new HostChecks(["mcp.example.com"], ["https://app.example"]);

export const hostChecks: Target = {
  name: "host-checks",
  share: 40,
  maxMs: 50,
  outcomes: ["allowed", "refused"],
  generate(random) {
    const host = random.pick(HOSTS);
    const origin = random.oneIn(2) ? "" : random.pick(ORIGINS);
    return {
      host: random.oneIn(3) ? host : mutateText(random, host, TOKENS, HOSTS),
      origin: origin === "" || random.oneIn(3) ? origin : mutateText(random, origin, TOKENS, ORIGINS),
    };
  },
  check(input) {
    const [host, origin] = [field(input, "host"), field(input, "origin")];
    const headers = new Map([["host", host], ...(origin === "" ? [] : [["origin", origin] as const])]);
    try {
      const request = requestWith((name) => headers.get(name));
      checks.checkHost(request);
      checks.checkOrigin(request);
    } catch (error) {
      if (!(error instanceof HttpRefusal)) throw error;
      demandEqual(error.status, host.includes(",") ? 400 : 403, "refuses with 403, and two hosts with 400");
      return "refused";
    }
    const name = hostOf(`http://${host}`);
    demand(name === "mcp.example.com" || LOOPBACK.has(name), "serves no host but its own", () => host);
    if (origin !== "") {
      const page = hostOf(origin);
      const isAllowed = LOOPBACK.has(page) || origin.toLowerCase() === "https://app.example";
      demand(isAllowed, "serves no page but those it may", () => origin);
      demand(/^https?:\/\//i.test(origin), "serves pages of the web alone", () => origin);
    }
    return "allowed";
  },
};

/** The host by the rules of URLs; empty where there is none. A port that cannot be is nobody's. */
function hostOf(url: string): string {
  try {
    return new URL(url.replace(/:\d+$/, "")).hostname;
  } catch {
    return "";
  }
}
