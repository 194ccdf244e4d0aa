/** Raw peers whose messages are written down, and how they open a connection when that is not what is tested. */
import type { ScriptedPeer } from "parley-mcp/testing";
import type { JsonObject } from "parley-mcp/types";
import { NEWEST_REVISION, type Revision } from "parley-requirements";
import type { ConnectionLog, Side } from "./wire-log.js";

/** Puts everything the peer sends and receives into the log. */
export function recordPeer(peer: ScriptedPeer, side: Side, log: ConnectionLog): ScriptedPeer {
  const otherSide: Side = side === "client" ? "server" : "client";
  const { sendText, receive, drain } = peer;
  peer.send = (message) => peer.sendText(JSON.stringify(message));
  peer.sendText = (text) => {
    log.noteText(side, text);
    return sendText.call(peer, text);
  };
  peer.receive = async (waitMs) => {
    const message = await receive.call(peer, waitMs);
    log.note(otherSide, message);
    return message;
  };
  peer.drain = async () => {
    const messages = await drain.call(peer);
    for (const message of messages) log.note(otherSide, message);
    return messages;
  };
  return peer;
}

/** The params of a raw request in a revision: modern ones carry who asks. */
export function paramsFor(revision: Revision, own: JsonObject = {}): JsonObject {
  if (revision !== NEWEST_REVISION) return own;
  const envelope = {
    "io.modelcontextprotocol/protocolVersion": revision,
    "io.modelcontextprotocol/clientInfo": { name: "scripted-client", version: "0.0.0" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  return { ...own, _meta: { ...envelope, ...(own._meta as JsonObject | undefined) } };
}

/** Does what a client of the revision does before its first request: the handshake, or nothing. */
export async function openAsClient(peer: ScriptedPeer, revision: Revision): Promise<void> {
  if (revision === NEWEST_REVISION) return;
  await peer.request("open", "initialize", {
    protocolVersion: revision,
    capabilities: {},
    clientInfo: { name: "scripted-client", version: "0.0.0" },
  });
  await peer.notify("notifications/initialized");
}

/** Answers whatever a client of the revision opens with. */
export async function openAsServer(peer: ScriptedPeer, revision: Revision, capabilities: JsonObject): Promise<void> {
  const serverInfo = { name: "scripted-server", version: "0.0.0" };
  const opening = await peer.receive();
  if (opening.method === "server/discover") {
    const hints = { ttlMs: 0, cacheScope: "private" };
    const _meta = { "io.modelcontextprotocol/serverInfo": serverInfo };
    const result = { resultType: "complete", supportedVersions: [revision], capabilities, ...hints, _meta };
    return peer.respond(opening, result);
  }
  await peer.respond(opening, { protocolVersion: revision, capabilities, serverInfo });
  await peer.receive();
}
