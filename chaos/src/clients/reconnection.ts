/** Official clients wait a second and more before they open a lost stream again, and give up after two attempts. */
export const RECONNECTION = {
  initialReconnectionDelay: 50,
  maxReconnectionDelay: 1_000,
  reconnectionDelayGrowFactor: 1.5,
  maxRetries: 40,
} as const;
