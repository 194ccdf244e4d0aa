/** `parley-mcp/testing`: in-process connections with recorded messages, and peers that speak raw messages. */

export { type OnMessage, recordTransport } from "../transport/recording-transport.js";
export type {
  JsonRpcError,
  JsonRpcMessage,
  JsonRpcNotification,
  JsonRpcRequest,
  JsonRpcResult,
} from "../wire/json-rpc.js";
export { connectInProcess, type InProcessOptions, type WireEntry } from "./connect-in-process.js";
export { ScriptedPeer, scriptedClient, scriptedServer } from "./scripted-peer.js";
