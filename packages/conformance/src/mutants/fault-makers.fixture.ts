/** Makers of faults: each takes the check that must turn red, and the one thing that is wrong. */
import type { Revision } from "parley-requirements";
import type { TargetKind } from "../target/target.js";
import { isObject, type JsonObject } from "../wire/json-rpc.js";
import type { Fault, Incoming, Reply, Setup } from "./scripted-server.fixture.js";

export interface Mutant extends Fault {
  /** The check that must turn red. */
  readonly check: string;
  /** Other checks that see the same fault. */
  readonly also?: readonly string[];
  readonly setup?: Setup;
  /** Default: the newest revision that the check concerns. */
  readonly revision?: Revision;
  /** Default: that of the check, or HTTP. */
  readonly kind?: TargetKind;
}

/** A guard that is off. */
export function without(check: string, ...guards: string[]): Mutant {
  return { check, without: guards };
}

/** A change of every reply that a test picks. */
export function onReply(
  check: string,
  isConcerned: (incoming: Incoming, reply: Reply) => boolean,
  change: (reply: Reply, incoming: Incoming) => void,
): Mutant {
  return {
    check,
    change(reply, incoming) {
      if (isConcerned(incoming, reply)) change(reply, incoming);
    },
  };
}

/** A change of the replies to a method. */
export function onMethod(check: string, method: string, change: (reply: Reply, incoming: Incoming) => void): Mutant {
  return onReply(check, ({ message }) => message?.method === method, change);
}

/** A change of the results of a method. */
export function onResult(
  check: string,
  method: string,
  change: (result: JsonObject, incoming: Incoming) => void,
): Mutant {
  return onMethod(check, method, (reply, incoming) => {
    for (const result of resultsOf(reply)) change(result, incoming);
  });
}

/** A change of the first item of a list. */
export function onItem(check: string, method: string, member: string, change: (item: JsonObject) => void): Mutant {
  return onResult(check, method, (result) => {
    const [first] = Array.isArray(result[member]) ? result[member] : [];
    if (isObject(first)) change(first);
  });
}

/** A change of the first item on the last page of a list. */
export function onLastItem(check: string, method: string, member: string, change: (item: JsonObject) => void): Mutant {
  return onResult(check, method, (result) => {
    const [first] = Array.isArray(result[member]) ? result[member] : [];
    if (result.nextCursor === undefined && isObject(first)) change(first);
  });
}

/** A change of the errors with a code. */
export function onError(
  check: string,
  code: number,
  change: (error: JsonObject, reply: Reply, incoming: Incoming) => void,
): Mutant {
  return {
    check,
    change(reply, incoming) {
      for (const message of reply.messages.filter(isObject)) {
        if (isObject(message.error) && message.error.code === code) change(message.error, reply, incoming);
      }
    },
  };
}

/** A change of the first block of a type in the results of calls. */
export function onBlock(check: string, type: string, change: (block: JsonObject) => void): Mutant {
  return onResult(check, "tools/call", ({ content }) => {
    const blocks = Array.isArray(content) ? content : [];
    const found = blocks.find((block) => isObject(block) && block.type === type);
    if (isObject(found)) change(found);
  });
}

/** A change of the params of the notifications of a kind. */
export function onNotification(
  check: string,
  method: string,
  change: (params: JsonObject, index: number) => void,
): Mutant {
  return {
    check,
    change({ messages }) {
      const told = messages.filter(isObject).filter((message) => message.method === method);
      for (const [index, { params }] of told.entries()) if (isObject(params)) change(params, index);
    },
  };
}

/** An error in place of the answer to some requests. */
export function refusing(check: string, isConcerned: (incoming: Incoming) => boolean, code = -32603): Mutant {
  return onReply(check, isConcerned, (reply, { message }) => {
    if (message?.id === undefined) return;
    reply.messages = [{ jsonrpc: "2.0", id: message.id, error: { code, message: "No." } }];
    reply.isStream = false;
    reply.staysOpen = false;
  });
}

/** A result in place of the answer to some requests. */
export function serving(check: string, isConcerned: (incoming: Incoming) => boolean, result: JsonObject = {}): Mutant {
  return onReply(check, isConcerned, (reply, { message, revision }) => {
    const modern = {
      resultType: "complete",
      _meta: { "io.modelcontextprotocol/serverInfo": { name: "scripted", version: "1" } },
    };
    reply.messages = [
      { jsonrpc: "2.0", id: message?.id, result: { ...(revision === "2026-07-28" ? modern : {}), ...result } },
    ];
    reply.status = 200;
  });
}

export function resultsOf(reply: Reply): JsonObject[] {
  return reply.messages.filter(isObject).flatMap(({ result }) => (isObject(result) ? [result] : []));
}

export function paramsOf({ message }: Incoming): JsonObject {
  return isObject(message?.params) ? message.params : {};
}

export function metaOf(incoming: Incoming): JsonObject {
  const { _meta: meta } = paramsOf(incoming);
  return isObject(meta) ? meta : {};
}
