/** A listen filter of an extension, and its changes. */
import { z } from "zod";
import {
  defineListenFilter,
  type ExtensionChange,
  type ListenFilterDefinition,
} from "../routing/listen-filter-definition.js";
import { defineNotification } from "../routing/method-definition.js";

export const jobIds: ListenFilterDefinition = defineListenFilter("acmeJobIds", {
  filter: z.array(z.string()),
  notification: defineNotification("notifications/acme/job", { params: z.object({ jobId: z.string() }) }),
  topicOf: ({ jobId }) => jobId,
});

export function jobChange(topic: string, version = 1): ExtensionChange {
  return { kind: "extension", filter: jobIds.name, topic, params: { version } };
}
