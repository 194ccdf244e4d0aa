/** Waits for the status of a task. */
import type { Client } from "parley-mcp/client";
import { type DetailedTask, getTask } from "parley-mcp/tasks";
import { expect, vi } from "vitest";

/** Polls a modern task until it has the status, and returns it. */
export function reached(client: Client, taskId: unknown, status: string): Promise<DetailedTask> {
  return vi.waitFor(
    async () => {
      // The method's schema has passed.
      const state = (await client.request(getTask, { taskId })) as unknown as DetailedTask;
      expect(state.status).toBe(status);
      return state;
    },
    { timeout: 5_000, interval: 10 },
  );
}
