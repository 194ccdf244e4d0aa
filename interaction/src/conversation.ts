/** What a test is given: ways to join a client and a server in its cell. Everything it opened is closed at its end. */
import { Client, type ClientOptions, type TransportFactory } from "parley-mcp/client";
import type { McpServer } from "parley-mcp/server";
import { recordTransport, type ScriptedPeer, scriptedClient, scriptedServer, type WireEntry } from "parley-mcp/testing";
import type { JsonObject } from "parley-mcp/types";
import { NEWEST_REVISION, type Revision } from "parley-requirements";
import type { Cell } from "./cells.js";
import { join } from "./join.js";
import { openAsClient, openAsServer, paramsFor, recordPeer } from "./scripted-peer.js";
import { WireLog } from "./wire-log.js";

export type TestClientOptions = Partial<ClientOptions>;

export interface PlayedServer {
  readonly peer: ScriptedPeer;
  /** Connects a client to the played server; its opening is for the peer to answer. */
  connect(options?: TestClientOptions): Promise<Client>;
}

export class Conversation {
  readonly revision: Revision;
  readonly era: "legacy" | "modern";
  readonly connection: Cell["connection"];
  readonly wire: WireLog = new WireLog();
  /** What clients reported to nobody: a test that expects an error passes its own `onError`. */
  readonly unexpectedErrors: Error[] = [];
  readonly #opened: (() => Promise<unknown>)[] = [];

  constructor({ connection, revision }: Cell) {
    this.connection = connection;
    this.revision = revision;
    this.era = revision === NEWEST_REVISION ? "modern" : "legacy";
  }

  /** Connects a client that speaks the cell's revision; `revisions` and `revision` in the options overrule that. */
  connect = async (server: McpServer, options: TestClientOptions = {}): Promise<Client> => {
    if (this.connection === "none") throw new Error("This requirement is declared as one without a connection");
    const { entries } = this.wire.open(["client", "server"]);
    const record = (entry: WireEntry) => void entries.push(entry);
    const joined = await join(this.connection, server, this.#clientOptions(options), record);
    this.#opened.push(joined.close);
    return joined.client;
  };

  /** Connects a client of the cell's revision to a server behind transports of the test's own making. */
  connectTo = async (target: TransportFactory, options: TestClientOptions = {}): Promise<Client> => {
    const log = this.wire.open(["client", "server"]);
    const recorded = async () =>
      recordTransport(await target(), (direction, message) =>
        log.note(direction === "sent" ? "client" : "server", message),
      );
    const client = await Client.connect(recorded, this.#clientOptions(options));
    this.#opened.push(() => client.close());
    return client;
  };

  /** A raw client of a real server that has sent nothing yet. */
  playClient = async (server: McpServer): Promise<ScriptedPeer> => {
    const peer = recordPeer(await scriptedClient(server), "client", this.wire.open(["server"]));
    this.#closeAtEnd(peer);
    return peer;
  };

  /** A raw client that has opened the connection as its revision asks. */
  openClient = async (server: McpServer): Promise<ScriptedPeer> => {
    const peer = await this.playClient(server);
    await openAsClient(peer, this.revision);
    return peer;
  };

  /** A raw server, and how to connect a real client to it. */
  playServer = (): PlayedServer => {
    const { peer, transport } = scriptedServer();
    recordPeer(peer, "server", this.wire.open(["client"]));
    this.#closeAtEnd(peer);
    const connect = async (options: TestClientOptions = {}) => {
      const client = await Client.connect(transport, this.#clientOptions(options));
      this.#opened.push(() => client.close());
      return client;
    };
    return { peer, connect };
  };

  /** A raw server that has answered the opening of a real client. */
  openServer = async (
    capabilities: JsonObject = { tools: {}, resources: {}, prompts: {} },
    options: TestClientOptions = {},
  ): Promise<{ peer: ScriptedPeer; client: Client }> => {
    const { peer, connect } = this.playServer();
    const [client] = await Promise.all([connect(options), openAsServer(peer, this.revision, capabilities)]);
    return { peer, client };
  };

  /** The params of a raw request in this cell: your own, with what the revision demands beside them. */
  params = (own?: JsonObject): JsonObject => paramsFor(this.revision, own);

  async close(): Promise<void> {
    for (const close of this.#opened.reverse()) await close();
  }

  #clientOptions(options: TestClientOptions): ClientOptions {
    const revisions = options.revision === undefined ? { revisions: [this.revision] } : {};
    const onError = (error: Error) => void this.unexpectedErrors.push(error);
    return { name: "test-client", version: "1.0.0", ...revisions, onError, ...options };
  }

  /** What nobody received is received last, so that it is judged like the rest. */
  #closeAtEnd(peer: ScriptedPeer): void {
    this.#opened.push(async () => {
      await peer.drain();
      await peer.close();
    });
  }
}
