/** Platform of runtimes other than Node: the standard `fetch`, and no child processes. */
import { SdkError } from "../../errors/sdk-error.js";
import { fetchHttp } from "../http/fetch-http.js";
import type { Platform } from "./platform.js";

const http = fetchHttp((url, init) => globalThis.fetch(url, init));

export const platform: Platform = {
  http,
  dispatcherHttp() {
    throw new SdkError("invalid-argument", "dispatcher: this runtime makes its own connections; pass `fetch` instead");
  },
  checkedHttp: () => http,
  spawn({ command }) {
    throw new SdkError("invalid-argument", `"${command}" cannot be started: this runtime has no processes; use a URL`);
  },
};
