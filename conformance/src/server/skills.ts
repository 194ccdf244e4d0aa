/** Two skills: one with a subdirectory, a text and bytes, and one below a prefix. */
import { Buffer } from "node:buffer";
import type { McpServer } from "parley-mcp/server";
import { serveSkills } from "parley-mcp/skills";
import { PNG } from "./sample-content.js";

export async function addSkills(server: McpServer): Promise<void> {
  await serveSkills(server, [
    {
      path: "pdf-processing",
      files: {
        "SKILL.md":
          "---\nname: pdf-processing\ndescription: Extract, fill and assemble PDF documents\nmetadata:\n  version: 2.1.0\n---\n# PDF\n\nSee references/FORMS.md.\n",
        "references/FORMS.md": "# Forms\n",
        "assets/page.png": Buffer.from(PNG, "base64"),
      },
    },
    {
      path: "acme/billing/refunds",
      files: {
        "SKILL.md": "---\nname: refunds\ndescription: Refund an order\n---\n# Refunds\n",
        "examples/email.md": "# An email\n",
      },
    },
  ]);
}
