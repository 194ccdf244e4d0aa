/** An app made with the official package. It does everything that an app can ask of its host, and writes down the answers. */
import { App } from "@modelcontextprotocol/ext-apps";

const seen = [];
globalThis.seen = seen;
const note = (name, value) => seen.push([name, value]);

async function attempt(name, run) {
  try {
    note(name, JSON.parse(JSON.stringify((await run()) ?? null)));
  } catch (error) {
    note(name, String(error.message));
  }
}

const capabilities = { availableDisplayModes: ["inline", "fullscreen"] };
const app = new App({ name: "official-app", version: "1.0.0" }, capabilities);
app.ontoolinput = ({ arguments: args }) => note("input", args);
app.onteardown = async () => {
  parent.postMessage({ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "bye" } }, "*");
  return {};
};
app.ontoolresult = async ({ content }) => {
  note("result", content);
  await attempt("call", async () => (await app.callServerTool({ name: "move_card", arguments: { card: 3 } })).content);
  await attempt("hidden", () => app.callServerTool({ name: "delete_board", arguments: {} }));
  await attempt("read", async () => (await app.readServerResource({ uri: "board://cards" })).contents);
  await attempt("link", () => app.openLink({ url: "https://board.example/7" }));
  await attempt("script link", () => app.openLink({ url: "javascript:alert(1)" }));
  await attempt("message", () => app.sendMessage({ role: "user", content: [{ type: "text", text: "hello" }] }));
  await attempt("model context", () => app.updateModelContext({ structuredContent: { card: 3 } }));
  await attempt("log", () => app.sendLog({ level: "info", data: "ready" }));
  await attempt("mode", () => app.requestDisplayMode({ mode: "fullscreen" }));
  await attempt("fetch", () => fetch("https://undeclared.example/"));
  note("done", app.getHostContext()?.theme);
};
await app.connect();
