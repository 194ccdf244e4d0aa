/** The server of the workload over HTTP, written by hand, with the economies of ours. */
import type { ServerResponse } from "node:http";
import { answerByHand } from "../../by-hand.js";
import type { Serve } from "../http-contender.js";
import { listen } from "./listening.js";

export const serve: Serve = async () => {
  let waiting: { readonly response: ServerResponse; readonly body: string }[] = [];
  const answerAll = () => {
    const read = waiting;
    waiting = [];
    for (const { response, body } of read) {
      const answer = answerByHand(body);
      if (answer === undefined) {
        response.writeHead(202).end();
        continue;
      }
      response.writeHead(200, [
        "content-type",
        "application/json",
        "content-length",
        String(Buffer.byteLength(answer)),
      ]);
      response.write(answer);
      // Writes the head and the answer now, in one piece.
      response.socket?.uncork();
      response.end();
    }
  };
  return await listen((request, response) => {
    if (request.method !== "POST") {
      response.writeHead(405).end();
      return;
    }
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      if (waiting.length === 0) setImmediate(answerAll);
      waiting.push({ response, body: Buffer.concat(chunks).toString("utf8") });
    });
  });
};
