/** The server of the workload over stdio, written by hand. */
import { answerByHand } from "../../by-hand.js";

let rest = "";
process.stdin.setEncoding("utf8").on("data", (chunk: string) => {
  const lines = (rest + chunk).split("\n");
  rest = lines.pop() ?? "";
  let answers = "";
  for (const line of lines) {
    const answer = answerByHand(line);
    if (answer !== undefined) answers += `${answer}\n`;
  }
  if (answers !== "") process.stdout.write(answers);
});
