/** `server.announce`: collects the changes of one turn of the event loop, and publishes each distinct change once. */

import { SdkError } from "../../errors/sdk-error.js";
import type { ListenFilterDefinition } from "../../routing/listen-filter-definition.js";
import { createErrorCallback, type ErrorCallback, runGuarded } from "../../runtime/error-callback.js";
import { type AnnouncedChange, type ChangeBus, changeKey } from "./change-bus.js";

/** A change that a server knows. Only a bus loses changes. */
type KnownChange = Exclude<AnnouncedChange, { kind: "missed" }>;

/** Announces changes to clients. Equal changes in one turn of the event loop are sent once. */
export interface ServerAnnouncements {
  toolsChanged(): void;
  promptsChanged(): void;
  resourcesChanged(): void;
  /** Notifies the clients that subscribed to the resource. */
  resourceUpdated(uri: string): void;
  /** Legacy only: notifies the client that was asked to open the page with this id that the user is done. */
  elicitationComplete(elicitationId: string): void;
  /** Modern only: notifies the clients that listen to a topic by a filter of an extension. */
  changed(filter: ListenFilterDefinition, topic: string): void;
}

export class Announcements {
  readonly #bus: ChangeBus;
  readonly #report: ErrorCallback;
  readonly #gathered = new Map<string, KnownChange>();

  constructor(bus: ChangeBus, onError: (error: Error) => void) {
    this.#bus = bus;
    this.#report = createErrorCallback(onError);
  }

  announce(change: KnownChange): void {
    if (this.#gathered.size === 0) queueMicrotask(() => this.#publish());
    this.#gathered.set(changeKey(change), change);
  }

  /** Awaits no publication, so that a bus that hangs on one change does not delay the others. */
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

/** The public API of announcements. `onTools` is called before a change of the tools is announced. */
export function publicAnnouncements(announcements: Announcements, onTools: () => void): ServerAnnouncements {
  return {
    toolsChanged: () => {
      onTools();
      announcements.announce({ kind: "tools" });
    },
    promptsChanged: () => announcements.announce({ kind: "prompts" }),
    resourcesChanged: () => announcements.announce({ kind: "resources" }),
    resourceUpdated: (uri) => announcements.announce({ kind: "resource", uri }),
    elicitationComplete: (elicitationId) => announcements.announce({ kind: "elicitation", elicitationId }),
    changed: ({ name: filter }, topic) => announcements.announce({ kind: "extension", filter, topic }),
  };
}

function failed(change: KnownChange): string {
  if (change.kind === "elicitation") return `The change bus failed to publish the end of ${change.elicitationId}`;
  return `The change bus failed to publish a change of ${subjectOf(change)}`;
}

function subjectOf(change: Exclude<KnownChange, { kind: "elicitation" }>): string {
  if (change.kind === "extension") return `${change.topic} (${change.filter})`;
  return change.kind === "resource" ? change.uri : `the ${change.kind}`;
}
