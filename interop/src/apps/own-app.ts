/** An app without any package: a page that speaks the messages of the extension by itself. */

const SCRIPT = `
const answers = new Map();
let lastId = 0;
const post = (message) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
const request = (method, params) => new Promise((resolve) => {
  lastId += 1;
  answers.set(lastId, resolve);
  post({ id: lastId, method, params });
});
const log = (text) => { document.querySelector("#log").append(text); };

addEventListener("message", async ({ data, source }) => {
  if (source !== parent) return;
  if (data.method === "ui/resource-teardown") post({ id: data.id, result: {} });
  else if (data.method === "ui/notifications/tool-input") log("; " + JSON.stringify(data.params.arguments));
  else if (data.method === "ui/notifications/tool-result") {
    log("; " + data.params.content[0].text);
    const { result } = await request("tools/call", { name: "move_card", arguments: { card: 3 } });
    log("; " + result.content[0].text);
    await request("ui/open-link", { url: "https://board.example/7" });
    document.title = "done";
  } else if (data.method === undefined) answers.get(data.id)?.(data);
});

const appInfo = { name: "own-app", version: "1.0.0" };
request("ui/initialize", { appInfo, appCapabilities: {}, protocolVersion: "2026-01-26" }).then(({ result }) => {
  log(result.hostInfo.name);
  post({ method: "ui/notifications/initialized" });
});
`;

export const ownApp = `<!doctype html><title>App</title><p id="log"></p><script>${SCRIPT}</script>`;
