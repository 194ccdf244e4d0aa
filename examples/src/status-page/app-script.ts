/**
 * A host for the server's app, in the status page: connects to the endpoint, reads the page of the tool, and shows it in the frame of the
 * sandbox page. It runs in the browser, which is why it is a text here. Everything of the server reaches the page as text.
 */
export const APP_SCRIPT = `
import { APP_MIME_TYPE, AppHost, apps, pageUriOf, PostMessageTransport, readAppPage } from "parley-mcp/apps";
import { Client } from "parley-mcp/client";

const MAX_HEIGHT = 560;
const READY_MS = 5000;
const MAX_SHOWN = 200;
const info = { name: "status-page", title: "The status page", version: "1.0.0" };
const byId = (id) => document.getElementById(id);
const { endpoint, sandbox, revision } = byId("app-view").dataset;
const dark = matchMedia("(prefers-color-scheme: dark)");
const theme = () => (dark.matches ? "dark" : "light");
const extensions = [apps.onClient({ mimeTypes: [APP_MIME_TYPE] })];

let client;
let shown;
let questions = Promise.resolve();
let refuseOpen = () => {};
/** Counts the times that the app was shown. */
let showing = 0;

function say(text) {
  byId("app-state").textContent = text;
}

/** Asks the user outside of the frame, one question at a time. The host has at most 32 requests of the app in progress. */
function ask(text) {
  const asked = showing;
  const answer = questions.then(() => asked === showing && new Promise((resolve) => {
    const settle = (isAllowed) => {
      byId("app-question").hidden = true;
      resolve(isAllowed);
    };
    refuseOpen = () => settle(false);
    byId("app-question-text").textContent = text;
    byId("app-allow").onclick = () => settle(true);
    byId("app-refuse").onclick = refuseOpen;
    byId("app-question").hidden = false;
  }));
  questions = answer;
  return answer;
}

/** Calls that change nothing need no permission. */
function approve({ method, params }, tools) {
  if (method !== "tools/call") return true;
  const called = tools.find(({ name }) => name === params.name);
  if (called?.annotations?.readOnlyHint === true) return true;
  const text = JSON.stringify(params.arguments ?? {});
  return ask("The app asks to call " + params.name + " with " + (text.length > MAX_SHOWN ? text.slice(0, MAX_SHOWN) + "…" : text));
}

async function show(client) {
  const { tools } = await client.listTools();
  const tool = tools.find((each) => pageUriOf(each) !== undefined);
  if (tool === undefined) throw new Error("This server has no app");
  const page = await readAppPage(client, tool);
  const frame = document.createElement("iframe");
  frame.title = "The app of " + tool.name;
  frame.setAttribute("sandbox", "allow-scripts allow-same-origin");
  frame.src = sandbox + "/?host=" + encodeURIComponent(location.origin);
  byId("app-frame").replaceChildren(frame);
  // In the same turn, so that no message of the document is lost.
  const host = AppHost.open({
    info,
    client,
    tool,
    tools,
    page,
    transport: PostMessageTransport.overFrame(frame, { origin: sandbox }),
    context: { theme: theme(), displayMode: "inline", platform: "web", containerDimensions: { maxHeight: MAX_HEIGHT } },
    approve: (request) => approve(request, tools),
    onSizeChanged: ({ height }) => {
      if (height !== undefined) frame.style.height = height + "px";
    },
    onError: (error) => say(error.message),
  });
  shown = host;
  const late = setTimeout(() => host.close(), READY_MS);
  await host.ready.catch(() => {
    throw new Error("The sandbox page at " + sandbox + " does not load. It is for browsers on the machine of the server");
  });
  clearTimeout(late);
  const { content } = await host.run();
  byId("app-text").textContent = content.map((block) => block.text ?? "").join("\\n");
  say("The result of " + tool.name + ", as " + page.uri + " shows it");
}

async function start() {
  byId("app-again").disabled = true;
  showing += 1;
  refuseOpen();
  try {
    await shown?.close();
    client ??= await Client.connect(new URL(endpoint, location.href).href, { ...info, extensions, ...(revision && { revision }) });
    await show(client);
  } catch (error) {
    say("The app cannot be shown: " + error.message);
  } finally {
    byId("app-again").disabled = false;
  }
}

dark.addEventListener("change", () => shown?.update({ theme: theme() }));
byId("app-again").addEventListener("click", start);
await start();
`;
