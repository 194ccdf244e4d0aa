/** The scripted server behind lines: in this process for tests, or on standard streams (`scripted-stdio.fixture.ts`). */
import { NEWEST_REVISION, type Revision } from "parley-requirements";
import { isObject, type JsonObject, parseJson } from "../wire/json-rpc.js";
import type { OpenPipe } from "../wire/line-process.js";
import { RpcError } from "./rpc-error.fixture.js";
import { legacyQuestions } from "./scripted-asking.fixture.js";
import {
  emptyReply,
  errorMessage,
  frameGuard,
  kindOf,
  type Reply,
  type ScriptedServer,
} from "./scripted-server.fixture.js";

const PREFIX = "io.modelcontextprotocol/";

/** One connection: what an earlier line has settled, and the answers to the next. */
export class ScriptedPipe {
  readonly #server: ScriptedServer;
  #revision: Revision | undefined;
  #isStuck = false;
  #hasServedModern = false;
  #capabilities: JsonObject = {};
  /** A call that waits for the answers to its questions. */
  #asking: { readonly call: JsonObject; readonly open: Set<unknown> } | undefined;
  #questions = 0;

  constructor(server: ScriptedServer) {
    this.#server = server;
  }

  /** The lines that answer one line. */
  answer(line: string): string[] {
    if (this.#isStuck || (line.trim() === "" && this.#server.guards("blank lines"))) return [];
    const parsed = parseJson(line);
    const message = isObject(parsed) ? parsed : undefined;
    const revision = this.#revisionOf(message);
    if (parsed === undefined && !this.#server.guards("survives garbage")) this.#isStuck = true;
    if (revision === NEWEST_REVISION) this.#hasServedModern = true;
    const reply = this.#serve(parsed, message, revision);
    this.#server.fault.change?.(reply, { verb: "line", headers: {}, message, kind: "stdio", revision });
    if (reply.text !== undefined) return reply.text.split("\n");
    return reply.isBatch ? [JSON.stringify(reply.messages)] : reply.messages.map((item) => JSON.stringify(item));
  }

  #revisionOf(message: JsonObject | undefined): Revision {
    const params = isObject(message?.params) ? message.params : {};
    const isModern = isObject(params._meta) && Object.keys(params._meta).some((key) => key.startsWith(PREFIX));
    if (isModern && this.#server.revisions.includes(NEWEST_REVISION)) return NEWEST_REVISION;
    return this.#revision ?? (this.#server.legacyRevisions.length === 0 ? NEWEST_REVISION : "2025-03-26");
  }

  #serve(parsed: unknown, message: JsonObject | undefined, revision: Revision): Reply {
    const reply = emptyReply(200);
    const say = (error: RpcError, id?: unknown) => ({ ...reply, messages: [errorMessage(error, id)] });
    const server = this.#server;
    if (parsed === undefined) return server.guards("parse") ? say(new RpcError(-32700, "Parse error")) : reply;
    if (Array.isArray(parsed)) return this.#batch(parsed, revision);
    const kind = kindOf(parsed);
    if (kind === "none" || !message) {
      return server.guards(frameGuard(parsed)) ? say(new RpcError(-32600, "Invalid request")) : reply;
    }
    if (kind === "response") return this.#answered(message, revision);
    if (kind !== "request") return reply;
    const questions = this.#questionsOf(message, revision);
    if (questions.length > 0) {
      this.#asking = { call: message, open: new Set(questions.map(({ id }) => id)) };
      return { ...reply, messages: questions };
    }
    if (message.method === "initialize" && revision !== NEWEST_REVISION) return this.#initialize(message);
    if (revision !== NEWEST_REVISION && this.#revision === undefined && message.method !== "ping") {
      return say(new RpcError(-32600, "Say initialize first"), message.id);
    }
    if (message.method === "ping" && this.#revision === undefined && !server.guards("early ping")) {
      return say(new RpcError(-32600, "Say initialize first"), message.id);
    }
    try {
      if (message.method === "initialize") server.refuseLegacy();
      if (revision === NEWEST_REVISION) server.checkEnvelope(message);
      return server.serve(message, revision, "stdio");
    } catch (error) {
      return { ...reply, messages: [errorMessage(error, message.id)] };
    }
  }

  /** The requests that the tool `ask` sends to a legacy client, by the capabilities of its handshake. */
  #questionsOf({ method, params }: JsonObject, revision: Revision): JsonObject[] {
    if (method !== "tools/call" || !isObject(params) || params.name !== "ask") return [];
    if (revision === NEWEST_REVISION || this.#revision === undefined) return [];
    const guards = (name: string) => this.#server.guards(name);
    return legacyQuestions(guards, this.#capabilities, revision).map((question) => {
      this.#questions += guards("question ids") ? 1 : 0;
      return { jsonrpc: "2.0", id: `question-${this.#questions}`, ...question };
    });
  }

  /** The end of the call, once all of its questions are answered. */
  #answered({ id, error, result }: JsonObject, revision: Revision): Reply {
    const reply = emptyReply(200);
    if (!this.#asking) return reply;
    const isDeclined = isObject(result) && result.action === "decline";
    if (error !== undefined && !this.#server.guards("question rejected")) return reply;
    if (isDeclined && !this.#server.guards("question declined")) return reply;
    if (!this.#server.guards("question answered") && isObject(result) && "model" in result) return reply;
    this.#asking.open.delete(id);
    if (this.#asking.open.size > 0) return reply;
    const { call } = this.#asking;
    this.#asking = undefined;
    return this.#server.serve(call, revision, "stdio");
  }

  #initialize(message: JsonObject): Reply {
    const reply = emptyReply(200);
    try {
      if (this.#hasServedModern && !this.#server.guards("both eras")) throw new RpcError(-32600, "This pipe is modern");
      const result = this.#server.initialize(message.params);
      const { capabilities } = isObject(message.params) ? message.params : {};
      this.#capabilities = isObject(capabilities) ? capabilities : {};
      this.#revision = result.protocolVersion as Revision;
      reply.messages = [{ jsonrpc: "2.0", id: message.id, result }];
    } catch (error) {
      reply.messages = [errorMessage(error, message.id)];
    }
    return reply;
  }

  #batch(parsed: readonly unknown[], revision: Revision): Reply {
    const reply = emptyReply(200);
    const server = this.#server;
    const isServed = revision === "2025-03-26" || !server.guards("batch refused");
    if (!isServed || (parsed.length === 0 && server.guards("empty batch"))) {
      return { ...reply, messages: [errorMessage(new RpcError(-32600, "Invalid request"), undefined)] };
    }
    reply.messages = parsed.flatMap((item) => {
      if (kindOf(item) === "none") return [errorMessage(new RpcError(-32600, "Invalid request"), null)];
      return isObject(item) && kindOf(item) === "request" ? server.serve(item, revision, "stdio").messages : [];
    });
    reply.isBatch = reply.messages.length > 0;
    return reply;
  }
}

/** A pipe whose lines arrive one by one, each in a turn of the event loop of its own, as from a busy machine. */
export function oneByOne(open: OpenPipe): OpenPipe {
  return (handlers) => {
    let last = Promise.resolve();
    const later = (deliver: () => void) => {
      last = last.then(() => new Promise<void>((resolve) => setImmediate(resolve))).then(deliver);
    };
    return open({
      ...handlers,
      onLine: (line) => later(() => handlers.onLine(line)),
      onEnd: (how) => later(() => handlers.onEnd(how)),
    });
  };
}

/** A pipe to a scripted server in this process. */
export function scriptedPipe(server: ScriptedServer): OpenPipe {
  return ({ onLine, onEnd }) => {
    const connection = new ScriptedPipe(server);
    let isOver = false;
    const end = (how: string) => {
      if (!isOver) onEnd(how);
      isOver = true;
    };
    return {
      write: (text) => {
        const lines = text.replace(/\n$/, "").split("\n");
        queueMicrotask(() => {
          for (const answer of isOver ? [] : lines.flatMap((line) => connection.answer(line))) onLine(answer);
        });
      },
      endInput: () => server.guards("exit") && queueMicrotask(() => end("the program exited with 0")),
      kill: () => end("the program exited with SIGKILL"),
    };
  };
}
