/** The least that any server has to do: read the body, parse it, answer with bytes that were ready before. */

import { constantAnswer } from "../constant-answer.js";
import type { Serve } from "../http-contender.js";
import { listen } from "./listening.js";

export const serve: Serve = async (mode, tools) => {
  const answer = constantAnswer(mode, tools);
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(answer) };
  return await listen((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      JSON.parse(Buffer.concat(chunks).toString("utf8"));
      response.writeHead(200, headers).end(answer);
    });
  });
};
