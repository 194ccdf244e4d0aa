/** What the client under test prints once its scenario is over. */
export const FINISHED = "finished";
