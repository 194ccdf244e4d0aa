/** The judge that knows every revision exactly: the specification's own JSON schemas, where they lie beside the checkout. */
import { existsSync, readFileSync } from "node:fs";
import { Ajv, type AnySchemaObject, type ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { REVISIONS, type Revision } from "parley-requirements";
import type { Judge, Statement } from "./statement.js";

const folder = new URL("../../../../shared/spec/", import.meta.url);

interface Definition {
  readonly properties?: { readonly method?: { readonly const?: string } };
  readonly anyOf?: readonly { readonly $ref: string }[];
  readonly $ref?: string;
}

const formats = {
  uri: (text: string) => URL.canParse(text),
  "uri-template": true,
  byte: /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/,
} as const;

/** Undefined where the schemas are not there. */
export function loadSpecSchemas(): Judge | undefined {
  if (!REVISIONS.every((revision) => existsSync(fileOf(revision)))) return undefined;
  const all = new Map<Revision, RevisionSchemas>(
    REVISIONS.map((revision) => [revision, new RevisionSchemas(revision)]),
  );
  const isSpecMethod = (method: string) =>
    [...all.values()].some((schemas) => schemas.definitionOf(method) !== undefined);
  return {
    name: "the specification's JSON schemas",
    complaint(statement) {
      // Every revision was loaded above.
      const schemas = all.get(statement.revision) as RevisionSchemas;
      return schemas.complaint(statement, isSpecMethod);
    },
  };
}

function fileOf(revision: Revision): URL {
  return new URL(`${revision}.schema.json`, folder);
}

class RevisionSchemas {
  readonly #revision: Revision;
  readonly #ajv: Ajv | Ajv2020;
  readonly #definitions: Readonly<Record<string, Definition>>;
  readonly #pointer: string;
  readonly #byMethod = new Map<string, string>();

  constructor(revision: Revision) {
    const schema = JSON.parse(readFileSync(fileOf(revision), "utf8")) as AnySchemaObject;
    const key = "$defs" in schema ? "$defs" : "definitions";
    this.#revision = revision;
    this.#ajv = key === "$defs" ? new Ajv2020({ strict: false, formats }) : new Ajv({ strict: false, formats });
    this.#ajv.addSchema(schema, "spec");
    this.#definitions = schema[key];
    this.#pointer = `spec#/${key}`;
    for (const [name, definition] of Object.entries(this.#definitions)) {
      const method = definition.properties?.method?.const;
      if (method !== undefined) this.#byMethod.set(method, name);
    }
  }

  definitionOf(method: string): string | undefined {
    return this.#byMethod.get(method);
  }

  complaint(statement: Statement, isSpecMethod: (method: string) => boolean): string | undefined {
    const { kind, method, message, isBatched } = statement;
    if (isBatched && this.#revision !== "2025-03-26") return `revision ${this.#revision} has no batches`;
    if (kind === "error") return this.#errorComplaint(statement);
    if (kind === "result") return this.#check(this.#answerEnvelope(), message) ?? this.#resultComplaint(statement);
    const envelope = kind === "request" ? "JSONRPCRequest" : "JSONRPCNotification";
    const definition = this.definitionOf(method ?? "");
    if (definition === undefined) {
      if (isSpecMethod(method ?? "")) return `revision ${this.#revision} has no ${method}`;
      return this.#check(envelope, message);
    }
    return (
      this.#directionComplaint(statement, definition) ??
      this.#check(envelope, message) ??
      this.#check(definition, message)
    );
  }

  #directionComplaint({ from, method }: Statement, definition: string): string | undefined {
    const unions =
      from === "client" ? ["ClientRequest", "ClientNotification"] : ["ServerRequest", "ServerNotification"];
    const members = unions.flatMap((union) => this.#definitions[union]?.anyOf ?? []);
    // A union of one is written as that one: inline, or as a reference.
    const isAllowed =
      members.some(({ $ref }) => $ref.endsWith(`/${definition}`)) ||
      unions.some((union) => {
        const only = this.#definitions[union];
        return only?.properties?.method?.const === method || only?.$ref?.endsWith(`/${definition}`);
      });
    return isAllowed ? undefined : `revision ${this.#revision} has no ${method} from the ${from}`;
  }

  #answerEnvelope(): string {
    return "JSONRPCResultResponse" in this.#definitions ? "JSONRPCResultResponse" : "JSONRPCResponse";
  }

  #resultComplaint({ method, message, isTask }: Statement): string | undefined {
    const result = "result" in message ? message.result : undefined;
    if (isTask) return this.#check("CreateTaskResult", result);
    if (result?.resultType === "input_required") return this.#check("InputRequiredResult", result);
    const named = this.definitionOf(method ?? "")?.replace(/Request$/, "Result");
    return this.#check(named !== undefined && named in this.#definitions ? named : "Result", result);
  }

  #errorComplaint({ message }: Statement): string | undefined {
    const isModernForm = "JSONRPCErrorResponse" in this.#definitions;
    const envelope = isModernForm ? "JSONRPCErrorResponse" : "JSONRPCError";
    // Before 2025-11-25 the schemas demand an id that cannot be known here (docs/decisions.md#unreadable-id).
    const shown = isModernForm || "id" in message ? message : { ...message, id: 0 };
    const code = "error" in message ? message.error.code : undefined;
    return this.#check(envelope, shown) ?? this.#codeComplaint(code, message);
  }

  /** The definitions of the protocol's own errors say what their `data` holds. */
  #codeComplaint(code: number | undefined, message: unknown): string | undefined {
    const names: Record<number, string> = {
      [-32020]: "HeaderMismatchError",
      [-32021]: "MissingRequiredClientCapabilityError",
      [-32022]: "UnsupportedProtocolVersionError",
    };
    const name = names[code ?? 0];
    return name !== undefined && name in this.#definitions ? this.#check(name, message) : undefined;
  }

  #check(definition: string, value: unknown): string | undefined {
    const validate = this.#ajv.getSchema(`${this.#pointer}/${definition}`) as ValidateFunction;
    if (validate(value)) return undefined;
    return `${definition} of ${this.#revision}: ${this.#ajv.errorsText(validate.errors?.slice(0, 4))}`;
  }
}
