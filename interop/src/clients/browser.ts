/** Our client in a browser: the same adapter, bundled into a page, and called from here by its methods' names. */
import type { ScriptedPage, startBrowser } from "../../programs/browser.js";
import type {
  ClientPeer,
  Endpoint,
  Hear,
  Page,
  PeerCallOptions,
  PeerClient,
  ToolAnswer,
  Wanted,
} from "../peer-client.js";

const BROWSER = process.env.CHROMIUM_PATH ?? "/usr/bin/chromium";

/** What the page runs before any call: it opens the client, and keeps what cannot leave the page. */
const PRELUDE = `
  globalThis.controllers = new Map();
  globalThis.closers = new Map();
  globalThis.attempt = async (run) => {
    try {
      return { value: await run() };
    } catch (error) {
      return { message: String(error.message), code: error.code };
    }
  };
  globalThis.callTool = (id, name, args, logLevel) => {
    const controller = new AbortController();
    controllers.set(id, controller);
    const onProgress = (progress) => reportProgress(id, progress);
    return peer.callTool(name, args, { signal: controller.signal, onProgress, ...(logLevel && { logLevel }) });
  };
  globalThis.watch = async (id, what) => void closers.set(id, await peer.watch(what));
`;

let started: ReturnType<typeof startBrowser> | undefined;

/** One for all pairs. */
function browser(): ReturnType<typeof startBrowser> {
  started ??= import("../../programs/browser.js").then((module) => module.startBrowser("ours.js", BROWSER));
  return started;
}

export const inBrowser: ClientPeer = {
  name: "Parley in Chromium",
  packageName: "playwright-core",
  lacks: {},
  prepare: async () => void (await browser()),
  connect,
};

async function connect(endpoint: Endpoint, wanted: Wanted, hear: Hear): Promise<PeerClient> {
  const page = await (await browser()).openPage();
  const progress = new Map<number, (progress: number) => void>();
  await page.expose("hearNotification", (method: string, params: unknown) => hear(method, params));
  await page.expose("reportProgress", (id: number, report: number) => progress.get(id)?.(report));
  try {
    const opening = `peers.ours.connect(${json(endpoint)}, ${json(wanted)}, hearNotification)`;
    await page.evaluate(PRELUDE);
    await run(page, `${opening}.then((opened) => void (globalThis.peer = opened))`);
    return peerIn(page, progress, (await run(page, "peer.revision")) as string);
  } catch (error) {
    await page.close();
    throw error;
  }
}

function peerIn(page: ScriptedPage, progress: Map<number, (progress: number) => void>, revision: string): PeerClient {
  let ids = 0;
  const nextId = () => {
    ids += 1;
    return ids;
  };
  // The page runs the adapter for our client, whose methods return what is said here.
  const call = async <Value>(method: string, ...args: unknown[]) =>
    (await run(page, `peer.${method}(${args.map(json).join(", ")})`)) as Value;
  return {
    revision,
    listTools: (cursor) => call<Page>("listTools", cursor),
    callTool: async (name, args, { signal, onProgress, logLevel }: PeerCallOptions = {}) => {
      const id = nextId();
      if (onProgress) progress.set(id, onProgress);
      const abort = () => void page.evaluate(`controllers.get(${id}).abort()`);
      signal?.addEventListener("abort", abort, { once: true });
      return (await run(page, `callTool(${id}, ${json(name)}, ${json(args)}, ${json(logLevel)})`)) as ToolAnswer;
    },
    listResources: () => call("listResources"),
    readResource: (uri) => call("readResource", uri),
    listTemplates: () => call("listTemplates"),
    listPrompts: () => call("listPrompts"),
    getPrompt: (name, args) => call("getPrompt", name, args),
    completePrompt: (name, argument, value) => call("completePrompt", name, argument, value),
    ping: () => call("ping"),
    setLogLevel: (level) => call("setLogLevel", level),
    watch: async (what) => {
      const id = nextId();
      await run(page, `watch(${id}, ${json(what)})`);
      return async () => void (await run(page, `closers.get(${id})()`));
    },
    close: async () => {
      await call("close");
      await page.close();
    },
  };
}

/** Errors leave the page as data, since their codes would be lost otherwise. */
async function run(page: ScriptedPage, expression: string): Promise<unknown> {
  const outcome = await page.evaluate(`attempt(() => ${expression})`);
  const { value, message, code } = outcome as { value?: unknown; message?: string; code?: unknown };
  if (message === undefined) return value;
  throw Object.assign(new Error(message), { code });
}

function json(value: unknown): string {
  return value === undefined ? "undefined" : JSON.stringify(value);
}
