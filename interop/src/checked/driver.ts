/** An official client as parley-check drives it: the steps of docs/check-client.md, over either major version. */

/** What the checker tells of one played server. */
export interface Trial {
  readonly server: string | readonly [string, ...string[]];
  readonly scenario: string;
  readonly told: Readonly<Record<string, string>>;
}

export interface CallOptions {
  readonly timeoutMs: number;
}

export interface ListedTool {
  readonly name: string;
  readonly inputSchema: unknown;
}

/** One connection of a client of either version. */
export interface DrivenConnection {
  connect(): Promise<void>;
  /** Whether the server has the capability. */
  has(capability: "resources" | "resources.subscribe" | "prompts" | "tools.listChanged"): boolean;
  /** Waits for a change of the tools or the end of the subscription. Absent if the version cannot listen. */
  listen?(): Promise<void>;
  listTools(cursor: string | undefined): Promise<{ tools: readonly ListedTool[]; nextCursor?: string | undefined }>;
  callTool(name: string, args: Record<string, unknown>, options: CallOptions): Promise<unknown>;
  /** URIs. */
  listResources(): Promise<readonly string[]>;
  readResource(uri: string): Promise<unknown>;
  /** Subscribes, waits for an update, and unsubscribes. */
  watchResource(uri: string): Promise<void>;
  listPrompts(): Promise<readonly string[]>;
  getPrompt(name: string): Promise<unknown>;
  /** Exchanges the code that the browser brought back. */
  finish(): Promise<void>;
  close(): Promise<void>;
}

/** A busy machine is no reason to give a call up. */
const TIMEOUT_MS = 60_000;

/** Calls that a scenario leaves unanswered are given up. */
const UNANSWERED_MS = 500;

const MAX_PAGES = 30;
const MAX_LOGINS = 4;

/** Drives a client through one scenario. Steps that fail are passed over. */
export async function drive(
  { scenario }: Trial,
  open: () => DrivenConnection,
  wantsLogin: (error: unknown) => boolean,
): Promise<void> {
  let connection = open();
  let logins = 0;
  /** After `UnauthorizedError` the login is finished, and the application connects again, as the documentation says. */
  const attempt = async <Result>(step: () => Promise<Result>): Promise<Result> => {
    for (;;) {
      try {
        return await step();
      } catch (error) {
        logins += 1;
        if (!wantsLogin(error) || logins > MAX_LOGINS) throw error;
        await connection.finish();
        await connection.close();
        connection = open();
        await connection.connect();
      }
    }
  };
  const pass = <Result>(step: () => Promise<Result>): Promise<Result | undefined> =>
    attempt(step).catch(() => undefined);
  try {
    await connectFirst(() => connection, attempt);
    if (connection.has("tools.listChanged")) await pass(async () => connection.listen?.());
    const tools: ListedTool[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const listed = await pass(() => connection.listTools(cursor));
      tools.push(...(listed?.tools ?? []));
      cursor = listed?.nextCursor;
      if (cursor === undefined) break;
    }
    for (const tool of tools) {
      const isUnanswered = tool.name === "hang" || scenario.startsWith("lost-");
      const timeoutMs = isUnanswered ? UNANSWERED_MS : TIMEOUT_MS;
      await pass(() => connection.callTool(tool.name, defaultsOf(tool), { timeoutMs }));
    }
    if (connection.has("resources")) {
      const uris = (await pass(() => connection.listResources())) ?? [];
      const [first] = connection.has("resources.subscribe") ? uris : [];
      if (first !== undefined) await pass(() => connection.watchResource(first));
      for (const uri of uris) await pass(() => connection.readResource(uri));
    }
    if (connection.has("prompts"))
      for (const name of (await pass(() => connection.listPrompts())) ?? [])
        await pass(() => connection.getPrompt(name));
  } finally {
    await connection.close();
  }
}

/** Both versions leave HTTP+SSE to the application: their documentation connects a second client over it. */
export async function withOlderTransport(
  { server, scenario }: Trial,
  connect: () => Promise<void>,
  connectOverSse: (url: URL) => Promise<void>,
): Promise<void> {
  try {
    await connect();
  } catch (error) {
    if (!scenario.startsWith("sse-") || typeof server !== "string") throw error;
    await connectOverSse(new URL(server));
  }
}

/** A first connection that needs a login is connected by the login. */
async function connectFirst(
  current: () => DrivenConnection,
  attempt: (step: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const first = current();
  await attempt(async () => {
    if (current() === first) await first.connect();
  });
}

/** The arguments that the schema of a tool gives as defaults. */
function defaultsOf({ inputSchema }: ListedTool): Record<string, unknown> {
  const { properties = {} } = inputSchema as { properties?: Record<string, unknown> };
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, property]) => {
      const { default: value } = property as { default?: unknown };
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
