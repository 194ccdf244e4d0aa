/** Every client that takes part over HTTP, in the order in which the tables show them. */
import type { ClientContender } from "./client-contender.js";

export const CLIENT_CONTENDERS: readonly ClientContender[] = [
  { name: "parley", role: "ours", eras: ["modern", "legacy"], load: () => import("./clients/parley.js") },
  {
    name: "floor",
    role: "floor",
    eras: ["modern", "legacy"],
    note: "bare undici.dispatch: writes JSON, reads JSON, looks at the id",
    load: () => import("./clients/bare-undici.js"),
  },
  {
    name: "official v2",
    role: "peer",
    eras: ["modern", "legacy"],
    load: () => import("./clients/official-v2.js"),
  },
  {
    name: "official v1",
    role: "peer",
    eras: ["legacy"],
    note: "it has no modern era",
    load: () => import("./clients/official-v1.js"),
  },
  {
    name: "bare node:http",
    role: "reference",
    eras: ["modern", "legacy"],
    note: "what node:http with a keep-alive agent costs: writes JSON, reads JSON, looks at the id",
    load: () => import("./clients/bare-http.js"),
  },
  {
    name: "bare fetch",
    role: "reference",
    eras: ["modern", "legacy"],
    note: "what Node's own fetch costs: writes JSON, reads JSON, looks at the id",
    load: () => import("./clients/bare-fetch.js"),
  },
];
