/** The channel of a program to the test that started it: settings in, `{ ready }` out, then one answer per question. */

/** @returns {any} the settings that the test gave */
export function settings() {
  return JSON.parse(process.argv[2] ?? "{}");
}

/**
 * Reports that the program is ready, and answers questions by their `ask`. The program ends with its parent.
 * @param {object} ready
 * @param {Record<string, (question: any) => object | Promise<object>>} answers
 */
export function serveParent(ready, answers) {
  process.on("message", async (/** @type {{ ask: string }} */ question) => {
    const answer = await answers[question.ask]?.(question);
    process.send?.(answer ?? {});
  });
  process.on("disconnect", () => process.exit());
  process.send?.({ ready });
}
