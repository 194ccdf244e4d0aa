/** Tools that answer at once, one for each kind of content. */
import { type McpServer, ToolError } from "parley-mcp/server";
import { audio, embedded, image } from "./sample-content.js";

export function addContentTools(server: McpServer): void {
  server.tool("test_simple_text", { description: "Answers with text" }, () => "A simple text.");

  server.tool("test_image_content", { description: "Answers with an image" }, () => [image]);

  server.tool("test_audio_content", { description: "Answers with a sound" }, () => [audio]);

  server.tool("test_embedded_resource", { description: "Answers with a resource" }, () => [
    embedded("test://embedded-resource", "An embedded resource."),
  ]);

  server.tool("test_multiple_content_types", { description: "Answers with several kinds of content" }, () => [
    { type: "text", text: "Several kinds:" },
    image,
    embedded("test://mixed-content-resource", "An embedded resource."),
  ]);

  server.tool("test_error_handling", { description: "Fails in a way that the model should see" }, () => {
    throw new ToolError("This tool always fails.");
  });
}
