/** Every fault of the scripted client, by the check that must turn red. */
import { stdioTwin, stdioTwins } from "../areas/stdio-twins.js";
import { CANCELLATION_FAULTS } from "./cancellation-faults.fixture.js";
import type { ClientFault } from "./client-fault.fixture.js";
import { conversationFaults } from "./conversation-faults.fixture.js";
import { LOGIN_FAULTS } from "./login-faults.fixture.js";
import { requestFaults } from "./request-faults.fixture.js";
import { resultFaults } from "./result-faults.fixture.js";
import { STDIO_FAULTS } from "./stdio-faults.fixture.js";
import { STREAM_FAULTS } from "./stream-faults.fixture.js";
import { modernTaskFaults } from "./task-faults.fixture.js";

/** The faults of checks that have a twin over standard streams. */
const TWIN_FAULTS = Object.fromEntries(
  Object.entries({ ...requestFaults(), ...conversationFaults() })
    .map(([id, fault]) => [stdioTwin(id), { ...fault, also: (fault.also ?? []).map(stdioTwin) }] as const)
    .filter(([twin]) => stdioTwins.checks.some(({ id }) => id === twin)),
);

export const CLIENT_FAULTS: Readonly<Record<string, ClientFault>> = {
  ...requestFaults(),
  ...LOGIN_FAULTS,
  ...conversationFaults(),
  ...resultFaults(),
  ...TWIN_FAULTS,
  ...CANCELLATION_FAULTS,
  ...STDIO_FAULTS,
  ...STREAM_FAULTS,
  ...modernTaskFaults("client-modern-task"),
  ...modernTaskFaults("client-stdio-modern-task"),
};
