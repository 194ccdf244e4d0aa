/** Tools whose questions the referee answers by their keys, in one round or several. */
import { inputRequired, type McpServer, ProtocolError, type ServerContext } from "parley-mcp/server";
import { ErrorCode } from "parley-mcp/types";
import { z } from "zod";

const prefix = "test_input_required_result";

export function addInputRoundTools(server: McpServer): void {
  // The raw form, which spells out the round. It keeps no state, so an answer may come with the very first call.
  server.tool(`${prefix}_elicitation`, { description: "Asks for a name" }, (_, context) => {
    const answer = context.inputResponses?.user_name;
    if (answer && "action" in answer) return `Hello, ${answer.content?.name ?? "whoever you are"}!`;
    return inputRequired({
      inputRequests: {
        user_name: {
          method: "elicitation/create",
          params: {
            message: "What is your name?",
            requestedSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
          },
        },
      },
    });
  });

  server.tool(`${prefix}_sampling`, { description: "Asks for a capital" }, async (_, context) => {
    const { content } = await askModel(context, "capital_question", "What is the capital of France?");
    return JSON.stringify(content);
  });

  server.tool(`${prefix}_list_roots`, { description: "Asks for directories" }, async (_, context) => {
    const roots = await context.listRoots({ key: "client_roots" });
    return roots.map(({ uri }) => uri).join("\n");
  });

  server.tool(`${prefix}_multiple_inputs`, { description: "Asks for three things at once" }, async (_, context) => {
    const [name, greeting, roots] = await Promise.all([
      askName(context, "user_name"),
      askModel(context, "greeting", "Greet the user"),
      context.listRoots({ key: "client_roots" }),
    ]);
    return JSON.stringify([name.content, greeting.content, roots]);
  });

  server.tool(`${prefix}_multi_round`, { description: "Asks one thing after the other" }, async (_, context) => {
    const name = await askName(context, "step1");
    const color = await context.elicit(
      {
        message: "Your favorite color?",
        schema: z.object({ color: z.string() }),
      },
      { key: "step2" },
    );
    return JSON.stringify([name.content, color.content]);
  });

  server.tool(`${prefix}_tampered_state`, { description: "Asks for a confirmation" }, async (_, context) => {
    const { action } = await context.elicit(
      {
        message: "Please confirm",
        schema: z.object({ ok: z.boolean() }),
      },
      { key: "confirm" },
    );
    return `The user chose: ${action}`;
  });

  // The raw form with a state of its own.
  server.tool(`${prefix}_request_state`, { description: "Keeps a state of its own" }, (_, context) => {
    if (!context.inputResponses?.confirm) {
      return inputRequired({
        inputRequests: {
          confirm: {
            method: "elicitation/create",
            params: {
              message: "Please confirm",
              requestedSchema: { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] },
            },
          },
        },
        requestState: "waiting for the confirmation",
      });
    }
    if (context.requestState !== "waiting for the confirmation")
      throw new ProtocolError(ErrorCode.invalidParams, "The state is lost");
    return "state-ok";
  });

  server.tool(`${prefix}_capabilities`, { description: "Asks what the client can answer" }, async (_, context) => {
    const { elicitation, sampling, roots } = context.clientCapabilities;
    const answers = await Promise.all([
      elicitation && askName(context, "user_name"),
      sampling && askModel(context, "capital_question", "What is the capital of France?"),
      roots && context.listRoots({ key: "client_roots" }),
    ]);
    return JSON.stringify(answers);
  });

  server.prompt(`${prefix}_prompt`, { description: "A prompt that asks first" }, async (_, context) => {
    const { content } = await context.elicit(
      {
        message: "What is it about?",
        schema: z.object({ context: z.string() }),
      },
      { key: "user_context" },
    );
    return `It is about: ${content?.context}`;
  });
}

function askName(context: ServerContext, key: string) {
  return context.elicit({ message: "What is your name?", schema: z.object({ name: z.string() }) }, { key });
}

function askModel(context: ServerContext, key: string, question: string) {
  return context.sample(
    { messages: [{ role: "user", content: { type: "text", text: question } }], maxTokens: 100 },
    { key },
  );
}
