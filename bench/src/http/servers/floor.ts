/**
 * The least that any server has to do: read the body, parse it, answer with bytes that were ready before. It has the
 * economies of ours: headers as a flat array, one write per response, and the requests of one turn are answered together.
 */
import type { ServerResponse } from "node:http";
import { constantAnswer } from "../constant-answer.js";
import type { Serve } from "../http-contender.js";
import { listen } from "./listening.js";

/** A longer answer is encoded once. A shorter one is faster as a string, since Node joins it with the head. */
const MAX_STRING_LENGTH = 65_536;

export const serve: Serve = async (mode, tools) => {
  const text = constantAnswer(mode, tools);
  const answer = text.length > MAX_STRING_LENGTH ? Buffer.from(text) : text;
  const headers = ["content-type", "application/json", "content-length", String(Buffer.byteLength(answer))];
  let waiting: { readonly response: ServerResponse; readonly body: string }[] = [];
  const answerAll = () => {
    const read = waiting;
    waiting = [];
    for (const { response, body } of read) {
      JSON.parse(body);
      response.writeHead(200, headers);
      response.write(answer);
      // Writes the head and the answer now, in one piece.
      response.socket?.uncork();
      response.end();
    }
  };
  return await listen((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      if (waiting.length === 0) setImmediate(answerAll);
      waiting.push({ response, body: Buffer.concat(chunks).toString("utf8") });
    });
  });
};
