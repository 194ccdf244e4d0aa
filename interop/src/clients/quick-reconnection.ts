/** Official clients wait a second and more before they open a lost stream again. */
export const QUICK_RECONNECTION = {
  reconnectionOptions: {
    initialReconnectionDelay: 20,
    maxReconnectionDelay: 100,
    reconnectionDelayGrowFactor: 1.5,
    maxRetries: 5,
  },
} as const;
