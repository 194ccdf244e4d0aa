/** Calls of the tools that servers have for the official referee, which `--fixture` allows. */
import type { JsonObject } from "../wire/json-rpc.js";

const ROUNDS = "test_input_required_result";

/** By name of the tool. A server without a tool of that name is not called. */
export const FIXTURE_CALLS: Readonly<Record<string, JsonObject>> = {
  test_simple_text: {},
  test_image_content: {},
  test_audio_content: {},
  test_embedded_resource: {},
  test_multiple_content_types: {},
  test_error_handling: {},
  test_tool_with_logging: {},
  test_tool_with_progress: {},
  test_logging_tool: {},
  test_missing_capability: {},
  test_sampling: { prompt: "hello" },
  test_elicitation: { message: "What is your name?" },
  test_elicitation_sep1034_defaults: {},
  test_elicitation_sep1330_enums: {},
  [`${ROUNDS}_elicitation`]: {},
  [`${ROUNDS}_sampling`]: {},
  [`${ROUNDS}_list_roots`]: {},
  [`${ROUNDS}_request_state`]: {},
  [`${ROUNDS}_multiple_inputs`]: {},
  [`${ROUNDS}_multi_round`]: {},
  [`${ROUNDS}_tampered_state`]: {},
  [`${ROUNDS}_capabilities`]: {},
  greet: { name: "parley-check" },
  failing_job: {},
  confirm_delete: { filename: "parley-check.txt" },
  multi_input: {},
  test_tool_with_task: {},
};
