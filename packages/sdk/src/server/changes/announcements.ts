/** Gathers the changes of one turn, so that a burst of registrations is announced once. */

import { SdkError } from "../../errors/sdk-error.js";
import { createErrorCallback, type ErrorCallback, runGuarded } from "../../runtime/error-callback.js";
import { type AnnouncedChange, type ChangeBus, changeKey } from "./change-bus.js";

/** Announces changes to clients. Equal changes of one turn of the event loop go out once. */
export interface ServerAnnouncements {
  toolsChanged(): void;
  promptsChanged(): void;
  resourcesChanged(): void;
  /** For clients that subscribed to the resource. */
  resourceUpdated(uri: string): void;
  /** Legacy only: the user is done with a page. For the client that was asked to open it under this id. */
  elicitationComplete(elicitationId: string): void;
}

export class Announcements {
  readonly #bus: ChangeBus;
  readonly #report: ErrorCallback;
  readonly #gathered = new Map<string, AnnouncedChange>();

  constructor(bus: ChangeBus, onError: (error: Error) => void) {
    this.#bus = bus;
    this.#report = createErrorCallback(onError);
  }

  announce(change: AnnouncedChange): void {
    if (this.#gathered.size === 0) queueMicrotask(() => this.#publish());
    this.#gathered.set(changeKey(change), change);
  }

  /** None waits for another: a bus that hangs over one change must not keep back the rest. */
  #publish(): void {
    const changes = [...this.#gathered.values()];
    this.#gathered.clear();
    for (const change of changes) {
      runGuarded(
        () => this.#bus.publish(change),
        (cause) => this.#report(new SdkError("handler-failed", failed(change), { cause })),
      );
    }
  }
}

/** The public face of announcements. `onTools` is called before a change of the tools is announced. */
export function announcing(announcements: Announcements, onTools: () => void): ServerAnnouncements {
  return {
    toolsChanged: () => {
      onTools();
      announcements.announce({ kind: "tools" });
    },
    promptsChanged: () => announcements.announce({ kind: "prompts" }),
    resourcesChanged: () => announcements.announce({ kind: "resources" }),
    resourceUpdated: (uri) => announcements.announce({ kind: "resource", uri }),
    elicitationComplete: (elicitationId) => announcements.announce({ kind: "elicitation", elicitationId }),
  };
}

function failed(change: AnnouncedChange): string {
  if (change.kind === "elicitation") return `The change bus failed to publish the end of ${change.elicitationId}`;
  return `The change bus failed to publish a change of ${change.kind === "resource" ? change.uri : `the ${change.kind}`}`;
}
