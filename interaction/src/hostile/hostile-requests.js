/** HTTP requests of the hostile principal as bytes, built once so that sending them costs the attacker little. */

const MODERN = "2026-07-28";
const LEGACY = "2025-11-25";
const META = {
  "io.modelcontextprotocol/protocolVersion": MODERN,
  "io.modelcontextprotocol/clientCapabilities": {},
};

/**
 * @param {string} verb @param {string} path @param {Record<string, string>} headers @param {string} [body]
 * @returns {Buffer}
 */
export function httpBytes(verb, path, headers, body = "") {
  const all = {
    host: "127.0.0.1",
    authorization: "Bearer mallory",
    accept: "application/json, text/event-stream",
    ...(body !== "" && { "content-type": "application/json" }),
    ...(verb !== "GET" && { "content-length": String(Buffer.byteLength(body)) }),
    ...headers,
  };
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`${verb} ${path} HTTP/1.1\r\n${head.join("")}\r\n${body}`);
}

/** The JSON text of a modern request. @param {number} id @param {string} method @param {object} params */
export function modernText(id, method, params) {
  return JSON.stringify({ jsonrpc: "2.0", id, method, params: { ...params, _meta: META } });
}

/** @param {string} method @param {{ name?: string, notifications?: object }} params @param {number} [id] */
export function modernBytes(method, params, id = 1) {
  const name = params.name === undefined ? undefined : { "mcp-name": params.name };
  const headers = { "mcp-protocol-version": MODERN, "mcp-method": method, ...name };
  return httpBytes("POST", "/mcp", headers, modernText(id, method, params));
}

/** @param {string} session @param {string} method @param {object} params @param {number} [id] */
export function legacyBytes(session, method, params, id = 1) {
  const headers = { "mcp-session-id": session, "mcp-protocol-version": LEGACY };
  return httpBytes("POST", "/mcp", headers, JSON.stringify({ jsonrpc: "2.0", id, method, params }));
}

/** @param {{ clientInfo?: object, capabilities?: object }} [parts] */
export function initializeBytes({ clientInfo = {}, capabilities = {} } = {}) {
  const info = { name: "mallory", version: "1.0.0", ...clientInfo };
  const params = { protocolVersion: LEGACY, capabilities, clientInfo: info };
  return httpBytes("POST", "/mcp", {}, JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }));
}

/** The handshake over HTTP+SSE. @param {string} path */
export function sseInitializeBytes(path) {
  const params = { protocolVersion: "2024-11-05", capabilities: {}, clientInfo: { name: "mallory", version: "1.0.0" } };
  return httpBytes("POST", path, {}, JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }));
}

/** A batch that HTTP+SSE refuses, with long ids of its own. @param {string} path @param {number} turn */
export function batchBytes(path, turn) {
  const filling = "i".repeat(3_000);
  const items = Array.from(
    { length: 1_000 },
    (_, index) => `{"jsonrpc":"2.0","id":"${turn}-${index}${filling}","method":"ping"}`,
  );
  return httpBytes("POST", path, {}, `[${items.join(",")}]`);
}

/** What the page of a foreign site can send to a TCP port: a form whose body is a line of JSON-RPC. */
export function formBytes() {
  const body = `\n${modernText(1, "tools/call", { name: "touch" })}\n`;
  const head = "POST / HTTP/1.1\r\nhost: 127.0.0.1\r\norigin: https://evil.example\r\ncontent-type: text/plain\r\n";
  return Buffer.from(`${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}
