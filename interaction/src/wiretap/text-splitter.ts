/** Splits bytes of UTF-8 into the texts between separators. */
import { StringDecoder } from "node:string_decoder";

export class TextSplitter {
  readonly #decoder = new StringDecoder("utf8");
  readonly #separator: string;
  readonly #onText: (text: string) => void;
  #unread = "";

  constructor(separator: string, onText: (text: string) => void) {
    this.#separator = separator;
    this.#onText = onText;
  }

  push(bytes: Buffer): void {
    const texts = (this.#unread + this.#decoder.write(bytes)).split(this.#separator);
    this.#unread = texts.pop() ?? "";
    for (const text of texts) this.#onText(text);
  }
}
