/** Serves our server on workerd, at the port in the environment. */
import { fileURLToPath } from "node:url";
import { Miniflare } from "miniflare";
import { rolldown } from "rolldown";

const input = fileURLToPath(new URL("../dist/servers/ours-fetch.js", import.meta.url));
const bundle = await rolldown({ input, platform: "neutral" });
const { output } = await bundle.generate({ codeSplitting: false });
const worker = `import { handle } from "./server.mjs"; export default { fetch: (request) => handle(request) };`;

const miniflare = new Miniflare({
  port: Number(process.env.PORT),
  host: "127.0.0.1",
  compatibilityDate: "2026-04-01",
  modules: [
    { type: "ESModule", path: "worker.mjs", contents: worker },
    { type: "ESModule", path: "server.mjs", contents: output[0].code },
  ],
});
await miniflare.ready;
process.once("SIGTERM", async () => {
  await miniflare.dispose();
  process.exit();
});
