/** Bytes of one message that a client accepts, over every transport. Pictures travel as text, a third larger than they are. */
export const DEFAULT_MAX_MESSAGE_BYTES: number = 16 * 1024 * 1024;
