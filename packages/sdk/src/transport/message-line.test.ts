import { describe, expect, it, onTestFinished, vi } from "vitest";
import { ProtocolError } from "../errors/protocol-error.js";
import { SdkError } from "../errors/sdk-error.js";
import { MessageLineReader, readMessageLine } from "./message-line.js";

const line = (text: string) => ({ ok: true, text }) as const;
const refused = { ok: false, error: new ProtocolError(-32700, "Parse error: the line is not valid UTF-8") } as const;

describe("readMessageLine", () => {
  it.each([
    ['{"jsonrpc":"2.0","id":7,"result":{"te', 7],
    ['{ "jsonrpc" : "2.0", "id" : "seven" , "error" : {', "seven"],
    ['{"id":7,"result":{"te', 7],
    ['{"jsonrpc":"2.0","id":7,"method":"sampling/createMessage","par', undefined],
    ['{"jsonrpc":"2.0","result":{"id":7,"result":', undefined],
    ["a very long log line", undefined],
  ])("finds the request that %s answers, of which the rest was discarded", (start, answers) => {
    const tooLong = { ok: false, error: refused.error, tooLong: { maxBytes: 100, start } } as const;
    const read = readMessageLine(tooLong, "report");
    expect(read).toMatchObject({ ok: false, error: { code: "too-large" }, answers });
    expect(readMessageLine(tooLong, "answer")).toEqual({ ok: false, error: refused.error });
  });

  it.each(["answer", "answer-and-end", "report"] as const)(
    "reads messages and batches where it is to %s the rest",
    (onUnreadable) => {
      for (const value of [{ jsonrpc: "2.0", method: "ping" }, { id: 1 }, [1, 2]]) {
        expect(readMessageLine(line(JSON.stringify(value)), onUnreadable)).toMatchObject({ ok: true, message: value });
      }
    },
  );

  it("hands the error to answer with on, and leaves valid JSON to the dispatcher", () => {
    expect(readMessageLine(refused, "answer")).toEqual({ ok: false, error: refused.error });
    expect(readMessageLine(line("{"), "answer")).toMatchObject({ ok: false, error: { code: -32700 } });
    expect(readMessageLine(line("42"), "answer")).toMatchObject({ ok: true, message: 42 });
  });

  it("has a parse error for JSON that is no message where the connection is to end", () => {
    for (const text of ["42", "null", "{}", '{"method":"ping"}', "{"]) {
      expect(readMessageLine(line(text), "answer-and-end")).toMatchObject({ ok: false, error: { code: -32700 } });
    }
  });

  it.each(["Listening on 3000", "42", "null", '"text"', '{"level":"info"}', "\uFEFF{}"])(
    "makes an error that is only reported of %j, and shows it",
    (text) => {
      const read = readMessageLine(line(text), "report");
      expect(read).toMatchObject({ ok: false, error: { code: "invalid-message" } });
      const error = read.ok ? undefined : read.error;
      expect(error).toBeInstanceOf(SdkError);
      expect(error?.message).toContain(JSON.stringify(text));
    },
  );

  it("cuts long noise short, and says why bytes are none of it", () => {
    const shown = (text: string) => expect.objectContaining({ message: expect.stringContaining(`"${text}"`) });
    const [short, long] = ["x".repeat(120), "x".repeat(121)];
    expect(readMessageLine(line(short), "report")).toEqual({ ok: false, error: shown(short) });
    expect(readMessageLine(line(long), "report")).toEqual({ ok: false, error: shown(`${short}…`) });
    expect(readMessageLine(refused, "report")).toMatchObject({
      error: { message: expect.stringContaining("not valid UTF-8"), cause: refused.error },
    });
  });

  it("tells how long a line is, for the limits on what is in progress", () => {
    const text = '{"jsonrpc":"2.0","method":"a"}';
    expect(readMessageLine({ ok: true, text }, "answer")).toMatchObject({ ok: true, length: text.length });
  });
});

describe("a reader that was silenced", () => {
  const silenced = () => {
    const reader = new MessageLineReader("report");
    for (let count = 0; count < 1_000; count += 1) reader.read(line("noise"));
    return reader;
  };

  it("does not parse lines that cannot be messages", () => {
    const parse = vi.spyOn(JSON, "parse");
    onTestFinished(() => parse.mockRestore());
    const reader = silenced();
    parse.mockClear();

    for (const text of ["A", "{", "{}", "a log line of some length, and more", "42"]) {
      expect(reader.read(line(text))).toBeUndefined();
    }
    expect(reader.read(refused)).toBeUndefined();
    expect(parse).not.toHaveBeenCalled();
  });

  it("skips JSON that is none, and reports again after the next message", () => {
    const reader = silenced();

    expect(reader.read(line('{"level":"info","message":"started"}'))).toBeUndefined();
    expect(reader.read(line('  {"jsonrpc":"2.0","method":"a"}'))).toMatchObject({ ok: true });
    expect(reader.read(line("noise"))).toMatchObject({ ok: false });
  });
});

describe("the line of an answer that is too long", () => {
  const tooLong = (start: string) => {
    const error = new ProtocolError(-32600, "too long");
    return readMessageLine({ ok: false, error, tooLong: { maxBytes: 9, start } }, "report");
  };

  it.each([
    ['{"jsonrpc":"2.0","id":70,"result":{', 70],
    ['{"id":0,"error":{', 0],
    ['{"jsonrpc":"2.0","id":"a b","result":{', "a b"],
  ])("tells the request of %j", (start, id) => {
    expect(tooLong(start)).toMatchObject({ ok: false, answers: id, error: { code: "too-large" } });
  });

  it.each(['{"jsonrpc":"2.0","id":007,"result":{', '{"jsonrpc":"2.0","id":"a\tb","result":{', '{"method":"a"'])(
    "names no request for %j",
    (start) => {
      expect(tooLong(start)).toMatchObject({ ok: false, answers: undefined, error: { code: "too-large" } });
    },
  );
});
