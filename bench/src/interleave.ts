/**
 * Short rounds in turn, again and again, so that what else the machine does falls on all contenders alike. Each round
 * starts with another contender, so that nobody always follows the same neighbor.
 */
export async function interleave<Contender, Round>(
  contenders: readonly Contender[],
  rounds: number,
  run: (contender: Contender) => Promise<Round>,
): Promise<{ readonly contender: Contender; readonly rounds: readonly Round[] }[]> {
  const entries = contenders.map((contender) => ({ contender, rounds: [] as Round[] }));
  for (let round = 0; round < rounds; round++) {
    const first = round % entries.length;
    for (const entry of [...entries.slice(first), ...entries.slice(0, first)]) {
      entry.rounds.push(await run(entry.contender));
    }
  }
  return entries;
}
