/** `WWW-Authenticate` of any server: read without an error, within bounds, and read again after being written. */
import { parseChallenges, serializeChallenge } from "../../../packages/sdk/src/oauth/grammar/challenge.js";
import { AWKWARD, mutateText } from "../mutate-text.js";
import { demand, demandEqual, field, type Target } from "../target.js";

const HEADERS: readonly string[] = [
  'Bearer resource_metadata="https://mcp.example.com/.well-known/oauth-protected-resource", scope="files:read"',
  'Bearer error="insufficient_scope", scope="a b", error_description="say \\"please\\""',
  'DPoP algs="ES256 PS256", error="use_dpop_nonce", Basic realm="x, y", Negotiate YWJj==',
  "Bearer resource_metadata=https://mcp.example.com/a?b=c, scope=files",
  'Digest qop="auth, auth-int", algorithm=MD5 , nonce = "7ypf/xlj9XXwfDPEoM4URrv" opaque="x"',
];

const TOKENS: readonly string[] = [
  ...AWKWARD,
  ", ",
  '="',
  '"',
  "\\",
  "=",
  " ",
  "Bearer ",
  "a=b",
  "YWJj==",
  "__proto__",
];

export const challenges: Target = {
  name: "challenges",
  share: 80,
  maxMs: 50,
  outcomes: ["none", "one", "several"],
  generate(random) {
    return {
      header: random.oneIn(6) ? random.text(TOKENS, 0, 200) : mutateText(random, random.pick(HEADERS), TOKENS, HEADERS),
    };
  },
  check(input) {
    const found = parseChallenges(field(input, "header"));
    demand(found.length <= 16, "reads 16 challenges at most", () => String(found.length));
    for (const { scheme, parameters } of found) {
      const names = Object.keys(parameters);
      demand(names.length <= 32, "reads 32 parameters at most", () => String(names.length));
      const isLower = [scheme, ...names].every((name) => name === name.toLowerCase());
      demand(isLower, "writes names in lower case", () => JSON.stringify([scheme, ...names]));
    }
    const written = found.map(({ scheme, parameters }) => serializeChallenge(scheme, parameters)).join(", ");
    demand(/^[\x20-\x7e]*$/.test(written), "writes what a header may hold", () => written);
    const expected = found.map(({ scheme, parameters }) => ({ scheme, parameters: printable(parameters) }));
    if (written.length <= 16_384) demandEqual(parseChallenges(written), expected, "reads what it has written");
    return ["none", "one"][found.length] ?? "several";
  },
};

function printable(parameters: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(parameters).map(([name, value]) => [name, value.replace(/[^\x20-\x7e]/g, "?")]);
  return Object.fromEntries(entries);
}
