/**
 * Keeps this process from sleeping while it makes load. On one machine, waking whoever waits for an answer is charged to
 * the server that writes it, and costs as much as serving a call; over a network nobody pays that. A server that keeps
 * the load busy without it would seem twice as fast as one that does not.
 */
export async function awake<Result>(run: () => Promise<Result>): Promise<Result> {
  let isOver = false;
  const turn = () => {
    if (!isOver) setImmediate(turn);
  };
  turn();
  try {
    return await run();
  } finally {
    isOver = true;
  }
}
