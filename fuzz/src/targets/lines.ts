/** Lines of a byte stream: the same ones however it is cut, and those that a plain reading of the whole gives. */
import { isUtf8 } from "node:buffer";
import { ProtocolError } from "../../../packages/sdk/src/errors/protocol-error.js";
import { SdkError } from "../../../packages/sdk/src/errors/sdk-error.js";
import { readMessageLine } from "../../../packages/sdk/src/transport/message-line.js";
import { type DecodedLine, LineDecoder } from "../../../packages/sdk/src/wire/line-decoder.js";
import { MESSAGE_TEXTS } from "../messages.js";
import { AWKWARD_BYTES, mutateText } from "../mutate-text.js";
import { demand, demandEqual, field, pieces, randomCuts, singly, type Target, toBytes, utf8 } from "../target.js";

/** A text, or the code of the error in its place. */
type Line = string | number;

export const lines: Target = {
  name: "lines",
  share: 120,
  maxMs: 100,
  outcomes: ["text", "-32700", "-32600", "nothing"],
  generate(random) {
    const wanted = random.list(0, 4, () => {
      const text = random.oneIn(3)
        ? random.pick(["", " \t", "{}", "log line", "\ufeff{}"])
        : random.pick(MESSAGE_TEXTS);
      return utf8(text) + random.pick(["\n", "\r\n", "\r", ""]);
    });
    const whole = wanted.join("");
    const bytes = random.oneIn(4) ? whole : mutateText(random, whole, AWKWARD_BYTES);
    return { bytes, cuts: randomCuts(random, bytes.length), limit: String(random.between(1, 400)) };
  },
  check(input) {
    const bytes = toBytes(field(input, "bytes"));
    const limit = Math.max(1, Number(field(input, "limit")) || 0);
    const expected = expectedLines(bytes, limit);
    demandEqual(decode([bytes], limit), expected, "reads the lines of the whole");
    demandEqual(decode(pieces(bytes, field(input, "cuts")), limit), expected, "reads the same however it is cut");
    demandEqual(decode(singly(bytes), limit), expected, "reads the same byte by byte");
    for (const line of rawLines([bytes], limit)) checkMessageLine(line);
    const error = expected.find((line) => typeof line === "number");
    if (error !== undefined) return String(error);
    return expected.length > 0 ? "text" : "nothing";
  },
};

function rawLines(chunks: readonly Uint8Array[], limit: number): DecodedLine[] {
  const decoder = new LineDecoder(limit);
  return [...chunks.flatMap((chunk) => decoder.decode(chunk)), ...decoder.end()];
}

function decode(chunks: readonly Uint8Array[], limit: number): Line[] {
  return rawLines(chunks, limit).map((line) => (line.ok ? line.text : line.error.code));
}

function expectedLines(bytes: Uint8Array, limit: number): Line[] {
  return Buffer.from(bytes)
    .toString("latin1")
    .split("\n")
    .flatMap((raw): Line[] => {
      if (raw.length > limit) return [-32600];
      const line = Buffer.from(raw.replace(/\r$/, ""), "latin1");
      if (!isUtf8(line)) return [-32700];
      const text = line.toString();
      return /^[ \t]*$/.test(text) ? [] : [text];
    });
}

function checkMessageLine(line: DecodedLine): void {
  const answered = readMessageLine(line, "answer");
  if (!answered.ok)
    demand(answered.error instanceof ProtocolError, "answers with a protocol error", () => String(answered.error));
  const reported = readMessageLine(line, "report");
  if (reported.ok) {
    demand(answered.ok, "takes for a message only what is one", () => JSON.stringify(line));
    return;
  }
  const { error } = reported;
  const code = !line.ok && line.tooLong ? "too-large" : "invalid-message";
  demand(error instanceof SdkError && error.code === code, "reports noise as noise", () => String(error));
  demand(error.message.length < 2_000, "keeps its complaint short", () => error.message);
}
