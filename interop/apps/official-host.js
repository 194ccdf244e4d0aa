/** A host made with the official packages, in a page: the `AppBridge` in front of our sandbox page. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { AppBridge, getToolUiResourceUri, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge";

const identity = { name: "official-host", version: "1.0.0" };

export async function show(endpoint, sandbox, args) {
  const capabilities = {
    extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } },
  };
  const client = new Client(identity, { capabilities });
  await client.connect(new StreamableHTTPClientTransport(new URL(endpoint)));
  const { tools } = await client.listTools();
  const tool = tools.find((each) => getToolUiResourceUri(each) !== undefined);
  const { contents } = await client.readResource({ uri: getToolUiResourceUri(tool) });
  const { text: html, _meta } = contents[0];
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "allow-scripts allow-same-origin");
  const heard = [];
  const bridge = new AppBridge(client, identity, { openLinks: {}, serverTools: {}, serverResources: {}, logging: {} });
  const ready = new Promise((resolve) => {
    bridge.oninitialized = resolve;
  });
  bridge.onsandboxready = () => void bridge.sendSandboxResourceReady({ html, csp: _meta?.ui?.csp });
  bridge.onopenlink = async ({ url }) => {
    heard.push(["link", url]);
    return {};
  };
  document.body.append(frame);
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  frame.src = sandbox;
  await ready;
  await bridge.sendToolInput({ arguments: args });
  await bridge.sendToolResult(await client.callTool({ name: tool.name, arguments: args }));
  return { heard, view: bridge.getAppVersion(), frame, close: () => bridge.teardownResource({}) };
}
