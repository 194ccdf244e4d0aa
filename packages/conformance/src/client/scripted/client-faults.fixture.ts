/** Every fault of the scripted client, by the check that must turn red. */
import type { ClientFault } from "./client-fault.fixture.js";
import { CONVERSATION_FAULTS } from "./conversation-faults.fixture.js";
import { LOGIN_FAULTS } from "./login-faults.fixture.js";
import { REQUEST_FAULTS } from "./request-faults.fixture.js";

export const CLIENT_FAULTS: Readonly<Record<string, ClientFault>> = {
  ...REQUEST_FAULTS,
  ...LOGIN_FAULTS,
  ...CONVERSATION_FAULTS,
};
