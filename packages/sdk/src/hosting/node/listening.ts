/** Starts a server, and adds advice to the error if it cannot listen. */
import type { ListenOptions, Server } from "node:net";
import { networkAdvice } from "../../transport/network-advice.js";

/** Rejects with Node's error, its message extended by the text of `networkAdvice`. */
export function listening(server: Server, where: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => {
      error.message += networkAdvice(error);
      reject(error);
    };
    server.once("error", fail).listen(where, () => {
      server.off("error", fail);
      resolve();
    });
  });
}
