/** The sending half of a connection that has none: modern requests come and go without one. */
import type { Dispatcher } from "../../dispatch/dispatcher.js";
import { SdkError } from "../../errors/sdk-error.js";

const nowhere = (): Promise<never> =>
  Promise.reject(new SdkError("method-not-in-revision", "A modern server sends only what belongs to a request"));

export const NO_CONNECTION: Dispatcher = {
  isClosed: false,
  carriesHeaders: false,
  request: nowhere,
  notify: nowhere,
  requestBatch: nowhere,
  close: () => Promise.resolve(),
};
