/** Shows the messages of a conversation, one per line, as they cross. */
import type { JsonRpcMessage, WireEntry } from "parley-mcp/testing";

const useColor = process.stdout.isTTY === true && process.env.NO_COLOR === undefined;
const WIDTH = Math.max(80, Math.min(process.stdout.columns ?? 110, 160));

type Color = "dim" | "bold" | "cyan" | "magenta" | "green" | "red";
const codes: Record<Color, number> = { dim: 2, bold: 1, cyan: 36, magenta: 35, green: 32, red: 31 };

export function paint(color: Color, text: string): string {
  return useColor ? `\u001b[${codes[color]}m${text}\u001b[0m` : text;
}

export function heading(text: string): string {
  return `\n${paint("bold", text)}\n${paint("dim", "─".repeat(WIDTH))}`;
}

/** `client → server   #2 tools/call  {"name":"water",…}` */
export function describeEntry({ from, message }: WireEntry): string {
  const arrow = from === "client" ? paint("cyan", "client → server") : paint("magenta", "client ← server");
  const messages = Array.isArray(message) ? message : [message];
  return messages.map((one: JsonRpcMessage) => `${arrow}  ${describeMessage(one)}`).join("\n");
}

function describeMessage(message: JsonRpcMessage): string {
  if ("method" in message) {
    const label = "id" in message ? `#${message.id} ${message.method}` : `   ${message.method}`;
    return line(paint("bold", label), label, message.params);
  }
  if ("error" in message) {
    const label = `#${message.id ?? "?"} error ${message.error.code}`;
    return line(paint("red", label), label, message.error.message);
  }
  const label = `#${message.id} result`;
  return line(paint("green", label), label, message.result);
}

function line(painted: string, plain: string, body: unknown): string {
  const text = body === undefined ? "" : JSON.stringify(body).replaceAll("io.modelcontextprotocol/", "…/");
  const room = WIDTH - "client → server  ".length - plain.length - 1;
  return `${painted} ${paint("dim", text.length > room ? `${text.slice(0, room - 1)}…` : text)}`;
}
