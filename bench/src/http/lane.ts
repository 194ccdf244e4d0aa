/** One connection under load: the next request goes out when the last answer has come back and was right. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { Exchange } from "./exchange.js";
import { ResponseReader } from "./response-reader.js";

export class Lane implements Disposable {
  readonly #socket: Socket;
  readonly #exchanges: readonly Exchange[];
  readonly #reader = new ResponseReader();
  #current: Exchange;
  #answered = 0;
  #onAnswer: () => void = () => undefined;
  #onFailure: (error: Error) => void = () => undefined;
  #failure: Error | undefined;

  private constructor(socket: Socket, exchanges: readonly Exchange[]) {
    const [first] = exchanges;
    if (first === undefined) throw new Error("a lane without a request");
    this.#socket = socket;
    this.#exchanges = exchanges;
    this.#current = first;
    socket.on("data", (chunk: Buffer) => this.#receive(chunk));
    socket.on("error", (error) => this.#fail(error));
    socket.on("close", () => this.#fail(new Error(`the server closed the connection after ${this.#answered} answers`)));
  }

  static async open(url: string, exchanges: readonly Exchange[]): Promise<Lane> {
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    await once(socket, "connect");
    return new Lane(socket, exchanges);
  }

  /**
   * Calls on until the time has come, and adds how long each call took, in milliseconds.
   * @throws {Error} at the first answer that is not right, or if the connection ends.
   */
  run(untilMs: number, latencies: number[]): Promise<void> {
    if (this.#failure) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => {
      let sentAt = performance.now();
      this.#onFailure = reject;
      this.#onAnswer = () => {
        const now = performance.now();
        latencies.push(now - sentAt);
        sentAt = now;
        if (now < untilMs) this.#send();
        else resolve();
      };
      this.#send();
    });
  }

  [Symbol.dispose](): void {
    this.#onFailure = () => undefined;
    this.#socket.destroy();
  }

  #send(): void {
    this.#current = this.#exchanges[this.#answered % this.#exchanges.length] ?? this.#current;
    this.#socket.write(this.#current.request);
  }

  #receive(chunk: Buffer): void {
    try {
      const response = this.#reader.receive(chunk);
      if (response === undefined) return;
      this.#current.verify(response);
    } catch (error) {
      this.#fail(error as Error); // Neither of them throws anything else.
      return;
    }
    this.#answered++;
    this.#onAnswer();
  }

  /** Between two rounds nobody hears of it: the next one does. */
  #fail(error: Error): void {
    this.#failure ??= error;
    this.#onFailure(error);
    this.#socket.destroy();
  }
}
