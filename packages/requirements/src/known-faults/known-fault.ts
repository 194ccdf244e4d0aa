/** Something that may reach a server or a client over a real connection, what becomes of it, and who promises that. */
export interface KnownFault {
  /** In the words of somebody who meets it. */
  readonly fault: string;
  readonly outcome: string;
  /** The entries of the manifest that promise the outcome, each tested over a socket or in a process. */
  readonly entries: readonly string[];
}
