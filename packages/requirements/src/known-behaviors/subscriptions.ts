/** Changes that a server tells of. */
import type { KnownBehaviors } from "./known-behavior.js";

export const subscriptionsBehaviors: KnownBehaviors = {
  same: [
    "tools:list-changed",
    "resources:list-changed",
    "resources:subscribe",
    "resources:subscribe:capability-required",
    "resources:subscribe:updated",
    "resources:unsubscribe",
    "resources:unsubscribe:stops-updates",
    "subscriptions:listen:client:honored-surfacing",
    "subscriptions:listen:client:concurrent-demux",
    "subscriptions:listen:client:iteration",
    "subscriptions:listen:client:graceful-close",
    "subscriptions:listen:client:lost",
    "resources:updated-notification",
    "prompts:list-changed",
    "client:list-changed:capability-gated",
    "client:list-changed:signal-only",
    "client:list-changed:auto-refresh",
    "mcpserver:list-changed:debounce",
    "mcpserver:register:post-connect",
    "subscriptions:listen:ack-first-stamped",
    "subscriptions:listen:per-stream-filter",
    "subscriptions:listen:honored-filter-narrows-to-advertised",
    "subscriptions:listen:capacity-guard",
    "subscriptions:listen:graceful-close",
    "tools:listen:list-changed",
    "resources:listen:list-changed",
    "prompts:listen:list-changed",
  ],
  elsewhere: {
    "client:listen:auto-refresh": ["client:list-changed:auto-refresh"],
    "typescript:subscriptions:listChanged-auto-open-modern": ["client:list-changed:auto-refresh"],
  },
  otherwise: {
    "subscriptions:listen:client:era-guard": {
      because: "Listening works in both eras, so there is nothing to refuse.",
      instead: ["subscriptions:both-eras"],
    },
    "typescript:subscriptions:listen:legacy-era-steer": {
      because: "Listening works in both eras, so there is nothing to refuse.",
      instead: ["subscriptions:both-eras"],
    },
  },
  notApplicable: {},
};
