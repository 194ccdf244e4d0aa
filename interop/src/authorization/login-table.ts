/** The table of logins on docs/interop.md. */
import { versionsOf } from "../versions.js";
import { departuresOf, featuresOf, type LoginPair } from "./login-checks.js";
import { LOGIN_FEATURES } from "./login-peer.js";

export function loginTable(pairs: readonly LoginPair[]): string[] {
  const rows = pairs.map((pair) => {
    const { client, server } = pair;
    const cells = LOGIN_FEATURES.map((feature) => {
      const departure = departuresOf(pair)[feature]?.id;
      if (!featuresOf(pair).includes(feature)) return "-";
      return departure === undefined ? "passed" : `[departs](#${departure})`;
    });
    return row(client.name, server.name, server.authorizationServer, ...cells);
  });
  const titles = ["client", "server", "authorization server", ...LOGIN_FEATURES];
  return [row(...titles), `|${"---|".repeat(titles.length)}`, ...rows];
}

/** The releases of others that take part. */
export function loginVersions(pairs: readonly LoginPair[]): string {
  const names = pairs.flatMap(({ client, server }) => [client.packageName, ...server.packageNames]);
  const versions = Object.entries(versionsOf(names.filter((name) => name !== "parley-mcp")));
  return `Versions: ${versions.map(([name, version]) => `\`${name}\` ${version}`).join(", ")}.`;
}

function row(...cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}
