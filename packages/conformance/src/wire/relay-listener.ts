/** The checker's end of `bin/stdio-relay.js`: a program that a client starts as its server, and that reports what it reads. */
import { createRequire } from "node:module";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { dirname, join } from "node:path";
import { isObject, type JsonObject, parseJson } from "./json-rpc.js";
import { LineSplitter } from "./line-process.js";

/** What one run of the program is told to do. */
export interface RelayedProgram {
  /** Writes to its standard output. */
  write(text: string): void;
  /** Writes to its standard error. */
  log(text: string): void;
  exit(code: number): void;
}

/** What one run of the program reports. */
export interface RelayHandlers {
  /** Text from its standard input, cut anywhere. */
  readonly onText: (text: string) => void;
  readonly onEnd: () => void;
  readonly onSignal: (name: string) => void;
  /** The program has ended. */
  readonly onGone: () => void;
}

export interface RelayListener extends AsyncDisposable {
  /** The command that starts the program. */
  readonly command: readonly [string, ...string[]];
  /** Resolves when every program has ended. */
  gone(): Promise<void>;
}

/** Further runs of the program are ended at once. */
const MAX_PROGRAMS = 20;

export async function listenForRelays(accept: (program: RelayedProgram) => RelayHandlers): Promise<RelayListener> {
  const open = new Map<Socket, Promise<void>>();
  let count = 0;
  const server = createServer((socket) => {
    count += 1;
    socket.on("error", () => undefined);
    if (count > MAX_PROGRAMS) {
      socket.destroy();
      return;
    }
    const closed = new Promise<void>((resolve) => socket.once("close", resolve));
    open.set(socket, closed);
    const tell = (frame: JsonObject) => void socket.write(`${JSON.stringify(frame)}\n`);
    const handlers = accept({
      write: (text) => tell({ write: text }),
      log: (text) => tell({ log: text }),
      exit: (code) => tell({ exit: code }),
    });
    const splitter = new LineSplitter(
      (line) => hand(parseJson(line), handlers),
      () => socket.destroy(),
      () => socket.destroy(),
    );
    socket.setEncoding("utf8").on("data", (text: string) => splitter.push(text));
    socket.once("close", () => {
      open.delete(socket);
      handlers.onGone();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    command: [process.execPath, relayProgram(), String(port)],
    gone: async () => void (await Promise.all(open.values())),
    [Symbol.asyncDispose]: async () => {
      for (const socket of open.keys()) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function hand(frame: unknown, { onText, onEnd, onSignal }: RelayHandlers): void {
  if (!isObject(frame)) return;
  if (typeof frame.read === "string") onText(frame.read);
  if (frame.end === true) onEnd();
  if (typeof frame.signal === "string") onSignal(frame.signal);
}

/** The package finds itself by its name, since its bundle lies elsewhere than its sources. */
function relayProgram(): string {
  return join(
    dirname(createRequire(import.meta.url).resolve("@parley-mcp/conformance/package.json")),
    "bin/stdio-relay.js",
  );
}
