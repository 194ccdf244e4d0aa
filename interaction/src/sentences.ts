/** Whether the sentences of tests can be understood alone: each begins with its subject. */

/** Words by which a sentence goes on from another one, such as the requirement's, or puts off its subject. */
const NO_SUBJECT: ReadonlySet<string> = new Set(
  [
    "after also although and as at because before beside between but by even for from here however if in instead into",
    "it its nor not of on once or otherwise over since so than that their then there they this though through till to",
    "toward under unless until what whatever when whenever where wherever whether which whichever while who whoever",
    "whom whose why with within without",
  ].flatMap((words) => words.split(" ")),
);

/** The sentences that do not begin with their subject. */
export function sentencesWithoutSubject(sentences: readonly string[]): string[] {
  return sentences.filter((sentence) => NO_SUBJECT.has(/^[\w'-]+/.exec(sentence)?.[0].toLowerCase() ?? ""));
}
