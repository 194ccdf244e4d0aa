/** Counts what dispatchers keep of requests. It is private, so every table and Set that a request is put into is noted. */
import { TransientMap } from "../../runtime/transient-map.js";
import { PendingRequest } from "../pending-request.js";
import { ServedRequest } from "../served-request.js";

export interface RequestTables extends Disposable {
  /** How many requests wait for their answers, on both sides. */
  readonly pending: number;
  /** How many requests are being served, on both sides. */
  readonly served: number;
  /** How many times a waiting request is known to something else that may end it: a served request, a signal. */
  readonly tied: number;
}

export function watchRequestTables(): RequestTables {
  const tables = new Set<TransientMap<unknown, unknown>>();
  const sets: Set<unknown>[] = [];
  const { set } = TransientMap.prototype;
  const { add } = Set.prototype;
  replace(TransientMap.prototype, "set", function (this: TransientMap<unknown, unknown>, key: unknown, value: unknown) {
    if (value instanceof PendingRequest || value instanceof ServedRequest) add.call(tables, this);
    return set.call(this, key, value);
  });
  replace(Set.prototype, "add", function (this: Set<unknown>, value: unknown) {
    if (value instanceof PendingRequest && !sets.includes(this)) sets.push(this);
    return add.call(this, value);
  });
  const rows = () => [...tables].flatMap((table) => table.values());
  return {
    get pending() {
      return rows().filter((row) => row instanceof PendingRequest).length;
    },
    get served() {
      return rows().filter((row) => row instanceof ServedRequest).length;
    },
    get tied() {
      return sets.reduce((sum, each) => sum + each.size, 0);
    },
    [Symbol.dispose]() {
      replace(TransientMap.prototype, "set", set);
      replace(Set.prototype, "add", add);
    },
  };
}

function replace(prototype: object, name: string, value: unknown): void {
  Object.defineProperty(prototype, name, { value, configurable: true, writable: true });
}
