/** Keeps the events of resumable streams, so that a client whose connection broke gets what it missed. */

export interface StoredEvent {
  /** Counts from 1 within its stream, without gaps. */
  readonly number: number;
  /** A JSON-RPC message as text. */
  readonly data: string;
}

/**
 * Asynchronous and keyed, so that a networked store can do it. A stream is written by one process at a time, one event
 * after the other. What is no longer needed is deleted, but a store must also forget by itself: the process may die.
 */
export interface EventStore {
  append(sessionId: string, streamId: string, event: StoredEvent): Promise<void>;
  /** The events of that stream, of that session, whose number is greater; in order. Empty where there are none. */
  read(sessionId: string, streamId: string, after: number): Promise<readonly StoredEvent[]>;
  deleteStream(sessionId: string, streamId: string): Promise<void>;
  deleteSession(sessionId: string): Promise<void>;
}
