/** A program on standard streams with one tool and nothing else, which has no faults. */
export const SMALL_PROGRAM = `
const tool = { name: "hello", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } };
const methods = {
  initialize: ({ protocolVersion, capabilities, clientInfo }) => {
    if (!protocolVersion || !capabilities || !clientInfo) throw [-32602, "Invalid params"];
    return { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "small", version: "1" } };
  },
  ping: () => ({}),
  "tools/list": ({ cursor }) => {
    if (cursor !== undefined) throw [-32602, "There are no pages"];
    return { tools: [tool] };
  },
  "tools/call": ({ name, arguments: given = {} }) => {
    if (name !== "hello") throw [-32602, "There is no such tool"];
    if (Array.isArray(given)) throw [-32602, "Arguments are an object"];
    return { content: [{ type: "text", text: "Hello" }] };
  },
};
function serve(message) {
  const { id, method, params = {} } = message;
  const say = (outcome) => console.log(JSON.stringify({ jsonrpc: "2.0", id, ...outcome }));
  if (id === undefined || id === null || message.jsonrpc !== "2.0") return;
  try {
    if (Array.isArray(params)) throw [-32602, "Params are an object"];
    if (!Object.hasOwn(methods, method)) throw [-32601, "There is no such method"];
    say({ result: methods[method](params) });
  } catch ([code, message]) {
    say({ error: { code, message } });
  }
}
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  try {
    const message = JSON.parse(line);
    if (Array.isArray(message)) console.log('{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"No batches"}}');
    else serve(message);
  } catch {}
});
`;
