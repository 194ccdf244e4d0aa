/** What the client under test does in each scenario. */
import { Client, type InputHandlers } from "parley-mcp/client";
import { SkillsClient, skills } from "parley-mcp/skills";
import { z } from "zod";
import { type Assignment, authorizationScenarios } from "./authorization-scenarios.js";

type Scenario = (assignment: Assignment) => Promise<void>;

const toolCalls = z.object({
  toolCalls: z.array(z.object({ name: z.string(), arguments: z.record(z.string(), z.unknown()) })),
});

export const scenarios: { readonly [name: string]: Scenario } = {
  ...authorizationScenarios,

  initialize: (assignment) => listTools(assignment),
  "json-schema-ref-no-deref": (assignment) => listTools(assignment),

  // Declares everything that there is to declare, since the referee looks at how.
  "request-metadata": (assignment) =>
    listTools(assignment, {
      elicit: () => ({ action: "decline" }),
      sample: () => ({ role: "assistant", model: "none", content: { type: "text", text: "" } }),
      listRoots: () => [{ uri: "file:///somewhere" }],
    }),

  async tools_call(assignment) {
    await using client = await connect(assignment);
    await client.listTools();
    await client.callTool("add_numbers", { a: 5, b: 3 });
  },

  async "elicitation-sep1034-client-defaults"(assignment) {
    await using client = await connect(assignment, { elicit: () => ({ action: "accept", content: {} }) });
    await client.listTools();
    await client.callTool("test_client_elicitation_defaults");
  },

  async "sse-retry"(assignment) {
    await using client = await connect(assignment);
    await client.listTools();
    await client.callTool("test_reconnection");
  },

  async "sep-2322-client-request-state"(assignment) {
    let questions = 0;
    await using client = await connect(assignment, {
      elicit: async () => {
        questions += 1;
        // Another call between a question and its answer must not carry anything of either.
        if (questions === 1) await client.callTool("test_mrtr_unrelated");
        return { action: "accept", content: { confirmed: true } };
      },
    });
    await client.listTools();
    await client.callTool("test_mrtr_echo_state");
    await client.callTool("test_mrtr_no_state");
    await client.callTool("test_mrtr_no_result_type");
  },

  async "http-standard-headers"(assignment) {
    await using client = await connect(assignment);
    for await (const { name } of client.tools()) await client.callTool(name);
    for await (const { uri } of client.resources()) await client.readResource(uri);
    for await (const { name } of client.prompts()) await client.getPrompt(name);
  },

  async "http-custom-headers"(assignment) {
    await using client = await connect(assignment);
    await client.listTools();
    for (const call of toolCalls.parse(assignment.context).toolCalls) await client.callTool(call.name, call.arguments);
  },

  async "http-invalid-tool-headers"(assignment) {
    await using client = await connect(assignment);
    // Whatever is still listed is called: the tools with faulty headers should not be there.
    for await (const { name } of client.tools()) await client.callTool(name, { region: "us-west1" });
  },

  async "sep-2640-client-no-prefetch"(assignment) {
    await using client = await connect(assignment);
    await new SkillsClient(client).list();
  },
  "sep-2640-client-verify-digest": (assignment) => readWholeSkill(assignment),
  "sep-2640-client-verify-size": (assignment) => readWholeSkill(assignment),
  "sep-2640-client-verify-frontmatter": (assignment) => readWholeSkill(assignment),

  async "json-schema-2020-12-preservation"(assignment) {
    await using client = await connect(assignment);
    const { tools } = await client.listTools();
    const schema = tools.find(({ name }) => name === "json_schema_2020_12_tool")?.inputSchema;
    await client.callTool("json_schema_echo", { schema });
  },
};

/** Reads all files of the first skill, and stops at the first one that was tampered with. */
async function readWholeSkill(assignment: Assignment): Promise<void> {
  await using client = await connect(assignment);
  const reader = new SkillsClient(client);
  const [skill] = await reader.list();
  if (skill === undefined) throw new Error("The referee lists a skill");
  try {
    await reader.read(skill);
    for (const { path } of skill.files ?? []) await reader.read(skill, path);
  } catch (error) {
    if ((error as { code?: unknown }).code !== "invalid-result") throw error;
    console.error(`refused: ${error}`);
  }
}

async function listTools(assignment: Assignment, handlers: InputHandlers = {}): Promise<void> {
  await using client = await connect(assignment, handlers);
  await client.listTools();
}

function connect({ url, revision }: Assignment, handlers: InputHandlers = {}): Promise<Client> {
  return Client.connect(url, {
    name: "everything-client",
    version: "1.0.0",
    revisions: [revision],
    extensions: [skills],
    ...handlers,
  });
}
