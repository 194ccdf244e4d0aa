import { describe, expect, it } from "vitest";
import { LEGACY_REVISIONS, REVISIONS } from "../protocol/revisions.js";
import { acceptRevision, encodeInitialize, latestLegacy, negotiateRevision, openSession } from "./legacy-handshake.js";

const client = { info: { name: "tester", version: "1.0.0" }, capabilities: { roots: {} } };

describe("the legacy handshake", () => {
  it.each(LEGACY_REVISIONS)("settles on %s when both speak it", (revision) => {
    expect(negotiateRevision(revision, LEGACY_REVISIONS)).toBe(revision);
  });

  it("answers a revision it does not speak with the newest it does, up and down", () => {
    expect(negotiateRevision("2099-01-01", LEGACY_REVISIONS)).toBe("2025-11-25");
    expect(negotiateRevision("2024-11-05", ["2025-03-26", "2025-06-18"])).toBe("2025-06-18");
    expect(negotiateRevision("2025-11-25", ["2025-06-18", "2024-11-05"])).toBe("2025-06-18");
  });

  it("finds the newest legacy revision, whatever the order", () => {
    expect(latestLegacy([...REVISIONS].reverse())).toBe("2025-11-25");
    expect(latestLegacy(["2026-07-28"])).toBeUndefined();
  });

  it("says who the client is, and the session remembers", () => {
    const opening = encodeInitialize("2025-06-18", client);
    expect(opening).toEqual({ protocolVersion: "2025-06-18", capabilities: { roots: {} }, clientInfo: client.info });
    expect(openSession(opening, "2025-03-26")).toEqual({
      revision: "2025-03-26",
      era: "legacy",
      clientInfo: client.info,
      clientCapabilities: client.capabilities,
    });
  });

  it("accepts an older revision that the client speaks and refuses any other", () => {
    expect(acceptRevision("2024-11-05", REVISIONS)).toBe("2024-11-05");
    for (const settled of ["2026-07-28", "1999-01-01", "2025-06-18"]) {
      expect(() => acceptRevision(settled, ["2024-11-05", "2026-07-28"])).toThrow(
        expect.objectContaining({ code: "no-shared-revision" }),
      );
    }
  });
});
