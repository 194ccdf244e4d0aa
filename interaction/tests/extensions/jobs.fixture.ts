/** An extension whose result type is the handle of a job, and a server that answers calls with it. */
import { defineExtension, defineMethod, defineResultType, McpServer } from "parley-mcp/server";
import { z } from "zod";

export const identity = { name: "renderer", version: "1.0.0" };
export const jobStatus = defineMethod("acme/job", {
  params: z.object({ id: z.string() }),
  result: z.object({ result: z.looseObject({}).optional() }),
});
export const job = defineResultType("job", {
  methods: ["tools/call", "acme/render", "prompts/get", "resources/read"],
  result: z.object({ id: z.string(), polls: z.number().default(8) }),
  async settle({ id, polls }, { request }) {
    for (let poll = 0; poll < polls; poll += 1) {
      const { result } = await request(jobStatus, { id });
      if (result) return result;
    }
    throw new Error("too many polls");
  },
});
export const jobs = defineExtension("com.example/jobs", { methods: [jobStatus], resultTypes: [job] });
export const text = (value: string) => ({ content: [{ type: "text" as const, text: value }] });

/** A server whose jobs are done when they are asked for the third time. */
export function renderer(): McpServer {
  let polls = 0;
  const server = new McpServer({ ...identity, extensions: [jobs] });
  server.tool("render", { input: z.object({ page: z.number() }) }, ({ page }, context) =>
    context.extension(jobs) ? job.of({ id: `page ${page}` }) : `page ${page} at once`,
  );
  server.handle(jobStatus, ({ id }) => {
    polls += 1;
    return polls < 3 ? {} : { result: text(`${id} after ${polls}`) };
  });
  return server;
}
