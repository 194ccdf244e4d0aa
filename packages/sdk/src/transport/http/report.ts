/** Tells the application of an error that nobody waits for. What its callback throws has nowhere to go. */
export function reportTo(onError: ((error: Error) => void) | undefined): (error: Error) => void {
  return (error) => {
    try {
      onError?.(error);
    } catch {
      // There is nobody left to tell.
    }
  };
}
