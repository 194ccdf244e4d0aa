/** Every fault of the scripted client, by the check that must turn red. */
import type { ClientFault } from "./client-fault.fixture.js";
import { REQUEST_FAULTS } from "./request-faults.fixture.js";

export const CLIENT_FAULTS: Readonly<Record<string, ClientFault>> = { ...REQUEST_FAULTS };
