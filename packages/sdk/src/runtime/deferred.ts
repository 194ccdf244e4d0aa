/** A promise that is settled from outside, as by `Promise.withResolvers`, which Node 20 does not have. */
export interface Deferred<Value> {
  readonly promise: Promise<Value>;
  resolve(value: Value): void;
  reject(reason: unknown): void;
}

export function createDeferred<Value>(): Deferred<Value> {
  let settle!: Pick<Deferred<Value>, "resolve" | "reject">;
  const promise = new Promise<Value>((resolve, reject) => {
    settle = { resolve, reject };
  });
  return { promise, ...settle };
}
