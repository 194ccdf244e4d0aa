/** A host made with Parley, in a page: shows the app of a server in a frame with the sandbox page. */
import {
  APP_MIME_TYPE,
  AppHost,
  apps,
  PostMessageTransport,
  pageUriOf,
  readAppPage,
  withPolicy,
} from "parley-mcp/apps";
import { Client } from "parley-mcp/client";

const identity = { name: "our-host", version: "1.0.0" };

/** Shows the first tool with a page. What the host hears goes into `heard`. */
export async function show(endpoint, sandbox, args) {
  const extensions = [apps.onClient({ mimeTypes: [APP_MIME_TYPE] })];
  const client = await Client.connect(endpoint, { ...identity, extensions });
  const { tools } = await client.listTools();
  const tool = tools.find((each) => pageUriOf(each) !== undefined);
  const page = await readAppPage(client, tool);
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "allow-scripts allow-same-origin");
  frame.src = sandbox;
  document.body.append(frame);
  const heard = [];
  const hear = (name) => (given) => heard.push([name, JSON.parse(JSON.stringify(given))]) > 0;
  const host = AppHost.open({
    info: identity,
    client,
    tool,
    page,
    transport: PostMessageTransport.overFrame(frame, { origin: new URL(sandbox).origin }),
    context: { theme: "dark", availableDisplayModes: ["inline", "fullscreen"] },
    onOpenLink: hear("link"),
    onMessage: hear("message"),
    onModelContext: hear("model context"),
    onLog: hear("log"),
    onDisplayMode: (mode) => mode,
    onSizeChanged: ({ height }) => {
      frame.style.height = `${height}px`;
    },
    onError: (error) => heard.push(["error", error.message]),
  });
  await host.run(args);
  const view = await host.ready;
  let isClosed = false;
  void host.closed.then(() => {
    isClosed = true;
  });
  return { heard, view, frame, isClosed: () => isClosed, close: () => host.close("The user closed it") };
}

/** Shows the first tool with a page in a frame without an origin, and without a sandbox page. */
export async function showAlone(endpoint, args) {
  const extensions = [apps.onClient({ mimeTypes: [APP_MIME_TYPE] })];
  const client = await Client.connect(endpoint, { ...identity, extensions });
  const { tools } = await client.listTools();
  const tool = tools.find((each) => pageUriOf(each) !== undefined);
  const page = await readAppPage(client, tool);
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "allow-scripts");
  document.body.append(frame);
  const heard = [];
  const transport = PostMessageTransport.overFrame(frame, { origin: "null" });
  const onError = (error) => heard.push(["error", error.message]);
  const host = AppHost.open({ info: identity, client, tool, transport, onError });
  let isClosed = false;
  void host.closed.then(() => {
    isClosed = true;
  });
  frame.srcdoc = withPolicy(page.html, page.csp);
  await host.run(args);
  return { heard, isClosed: () => isClosed };
}
