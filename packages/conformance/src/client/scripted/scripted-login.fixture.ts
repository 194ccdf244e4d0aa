/** The OAuth of the scripted client. */
import type { OutgoingCall } from "./client-fault.fixture.js";
import type { Incoming, Sender } from "./sender.fixture.js";

export class ScriptedLogin {
  readonly #sender: Sender;

  constructor(_url: URL, sender: Sender) {
    this.#sender = sender;
  }

  send(call: OutgoingCall): Promise<Incoming> {
    return this.#sender.send(call);
  }
}
