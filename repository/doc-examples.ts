/**
 * Finds the `@example`s in doc comments. They show one call each, so they are compiled inside a function, with what a
 * reader would have imported before.
 */
import { parseSync } from "oxc-parser";
import type { SourceFile } from "./source-files.js";

export interface DocExample {
  readonly path: string;
  /** The line of its `@example` tag. */
  readonly line: number;
  readonly code: string;
}

/** What every example may use without saying where it comes from. */
const preamble = [
  'import { Client, HttpTransport, InMemoryCacheStore, isResourceNotFound, parseTemplate, requiredUrls } from "parley-mcp/client";',
  'import { defineExtension, defineForm, defineListenFilter, defineMethod, defineNotification } from "parley-mcp/server";',
  'import { defineMetaKey, defineResultType, inputRequired, McpServer, type ServerContext } from "parley-mcp/server";',
  'import { audio, embeddedResource, image, resourceLink, text } from "parley-mcp/server";',
  'import { ProtocolError, SdkError, ToolError } from "parley-mcp";',
  'import { connectInProcess, recordTransport, scriptedClient, scriptedServer } from "parley-mcp/testing";',
  'import { clusterBackend, createNodeHandler, FileTaskStore, HttpRefusal, InMemoryEventStore, serveHttp, startWorkers } from "parley-mcp/node";',
  'import { auth0, github, google, keycloak, microsoftEntra, upstreamLogin } from "parley-mcp/oauth/server";',
  'import { emailDomains, memberOf } from "parley-mcp/oauth/server";',
  'import { ChildProcessTransport, serveSocket, serveStdio, SocketTransport, StreamTransport } from "parley-mcp/node";',
  'import { introspectionVerifier, jwtVerifier, protectedResource } from "parley-mcp/oauth/resource";',
  'import { InMemoryTaskStore, receiveTasks, reopenTask, serveTasks, startTool, TaskEngine, tasks } from "parley-mcp/tasks";',
  'import { AppHost, pageUriOf, PostMessageTransport, readAppPage, sandboxPage, serveApps } from "parley-mcp/apps";',
  'import { parseFrontmatter, serveSkills, SkillsClient } from "parley-mcp/skills";',
  'import { saveSkill, serveSkillFolder } from "parley-mcp/skills/node";',
  'import { telemetry } from "parley-mcp/telemetry";',
  'import { createFetchHandler } from "parley-mcp/web";',
  'import { AuthorizationRequiredError, clientCredentials, enterpriseAuthorization } from "parley-mcp/oauth";',
  'import { InMemoryCredentialStore, oauth, oauthFetch, workloadIdentity } from "parley-mcp/oauth";',
  'import { FileAuthorizationStore, FileCredentialStore, loopbackRedirect } from "parley-mcp/oauth/node";',
  'import { authorizationServer, hashPassword, InMemoryAuthorizationStore } from "parley-mcp/oauth/server";',
  'import cluster from "node:cluster";',
  'import { readFile } from "node:fs/promises";',
  'import { homedir } from "node:os";',
  'import { join } from "node:path";',
  'import { z } from "zod";',
  // The inner block lets an example declare a server or a client of its own.
  "export async function example(server: McpServer, client: Client, context: ServerContext): Promise<void> {{",
].join("\n");

export function examplesOf(file: SourceFile): DocExample[] {
  return parseSync(file.path, file.text).comments.flatMap((comment) => {
    if (comment.type !== "Block" || !comment.value.startsWith("*")) return [];
    const firstLine = file.text.slice(0, comment.start).split("\n").length;
    const lines = comment.value.split("\n").map((line) => line.replace(/^\s*\* ?/, ""));
    return lines.flatMap((line, index) => {
      if (line.trim() !== "@example") return [];
      const rest = lines.slice(index + 1);
      const end = rest.findIndex((next) => next.startsWith("@"));
      const code = rest
        .slice(0, end < 0 ? undefined : end)
        .join("\n")
        .trim();
      return [{ path: file.path, line: firstLine + index, code }];
    });
  });
}

/** A module with the example in it, and how many lines precede the example's own. */
export function moduleOf(example: DocExample): { readonly text: string; readonly linesBefore: number } {
  return { text: `${preamble}\n${example.code}\n}}\n`, linesBefore: preamble.split("\n").length };
}
