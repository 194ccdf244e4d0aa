/** Events that were written are read back as they were, or refused when they are written. */
import { SdkError } from "../../../packages/sdk/src/errors/sdk-error.js";
import { SseDecoder } from "../../../packages/sdk/src/wire/sse-decoder.js";
import { encodeEvent, SSE_KEEP_ALIVE, type SseEvent } from "../../../packages/sdk/src/wire/sse-encoder.js";
import { MESSAGE_TEXTS } from "../messages.js";
import { AWKWARD, mutateText } from "../mutate-text.js";
import { demand, demandEqual, type FuzzInput, field, pieces, randomCuts, type Target } from "../target.js";

export const sentEvents: Target = {
  name: "sent-events",
  share: 90,
  maxMs: 100,
  outcomes: ["read back", "refused"],
  generate(random) {
    const text = () => random.text(AWKWARD, 0, 4);
    return {
      data: random.oneIn(2) ? mutateText(random, random.pick(MESSAGE_TEXTS)) : text(),
      id: random.oneIn(2) ? `s_${random.below(99)}` : text(),
      event: random.oneIn(2) ? "message" : text(),
      retry: random.pick(["", "0", "1500"]),
      cuts: randomCuts(random, 200),
    };
  },
  check(input) {
    const event = eventOf(input);
    const mustRefuse = /[\r\n\0]/.test(`${event.id ?? ""}${event.event ?? ""}`);
    let text: string;
    try {
      text = encodeEvent(event);
    } catch (error) {
      const isKnown = error instanceof SdkError && error.code === "invalid-argument";
      demand(isKnown && mustRefuse, "refuses only what would break out of its line", () => String(error));
      return "refused";
    }
    demand(!mustRefuse, "refuses what would break out of its line", () => text);
    const decoder = new SseDecoder(1e6);
    const bytes = new TextEncoder().encode(SSE_KEEP_ALIVE + text + SSE_KEEP_ALIVE + text);
    const events = pieces(bytes, field(input, "cuts")).flatMap((piece) => decoder.decode(piece));
    const data = event.data.toWellFormed().replace(/\r\n?/g, "\n");
    const read = { type: event.event?.toWellFormed() || "message", data };
    demandEqual(events, [read, read], "reads what was written, twice");
    demandEqual(decoder.lastEventId, event.id?.toWellFormed() || undefined, "reads the id that was written");
    demandEqual(decoder.retryMs, event.retry, "reads the delay that was written");
    return "read back";
  },
};

function eventOf(input: FuzzInput): SseEvent {
  const [id, event, retry] = [field(input, "id"), field(input, "event"), field(input, "retry")];
  return {
    data: field(input, "data"),
    id: id === "" ? undefined : id,
    event: event === "" ? undefined : event,
    retry: retry === "" ? undefined : Number(retry),
  };
}
