/**
 * The handlers of the specification's methods, over the registries of a server. A method gets its handler with the first
 * registration, since the router's methods decide which capabilities the server declares.
 */
import type { ServerCapabilities } from "../protocol/capabilities.js";
import type { LoggingLevel } from "../protocol/logging.js";
import type { RequestHandler, Router } from "../routing/router.js";
import type { CompletionSources } from "./completion.js";
import type { InputSettings } from "./input/modern-run.js";
import { withInput } from "./input/with-input.js";
import type { NotificationContext } from "./notification-context.js";
import type { Prompts } from "./prompts.js";
import { type Resources, subscribeToResource, unsubscribeFromResource } from "./resources.js";
import type { ServerContext } from "./server-context.js";
import type { Tools } from "./tools.js";

export interface DefaultHandlerSources {
  readonly router: Router<ServerContext, NotificationContext>;
  readonly tools: Tools;
  readonly resources: Resources;
  readonly prompts: Prompts;
  readonly completion: CompletionSources;
  readonly input: InputSettings;
  /** The capabilities that the author has declared. */
  readonly capabilities: ServerCapabilities;
}

export class DefaultHandlers {
  readonly #sources: DefaultHandlerSources;
  /** The handler of `tools/call` for registered tools. */
  readonly #callTool: RequestHandler<ServerContext>;

  /** Serves the methods of declared capabilities, also without registrations. */
  constructor(sources: DefaultHandlerSources) {
    const { tools, input, capabilities } = sources;
    this.#sources = sources;
    this.#callTool = withInput((params, context) => tools.call(params, context), input);
    if (capabilities.tools) this.serveTools();
    if (capabilities.resources) this.serveResources();
    if (capabilities.prompts) this.servePrompts();
    if (capabilities.completions) this.#serveCompletion();
    if (capabilities.logging) this.#serveLogging();
  }

  /** Whether the author has set the handler of `tools/call`, or the one for any method. */
  get hasCustomToolCall(): boolean {
    const handler = this.#sources.router.handlerOf("tools/call");
    return handler !== undefined && handler !== this.#callTool;
  }

  serveTools(): void {
    const { tools } = this.#sources;
    this.serve("tools/list", (params, context) => tools.list(params, context));
    this.serve("tools/call", this.#callTool);
  }

  serveResources(): void {
    const { resources, capabilities } = this.#sources;
    this.serve("resources/list", (params, context) => resources.list(params, context));
    if (capabilities.resources?.subscribe !== false) {
      this.serve("resources/subscribe", subscribeToResource);
      this.serve("resources/unsubscribe", unsubscribeFromResource);
    }
    this.serve("resources/templates/list", (params, context) => resources.listTemplates(params, context));
    this.#serveAsking("resources/read", (params, context) => resources.read(params, context));
  }

  servePrompts(): void {
    const { prompts } = this.#sources;
    this.serve("prompts/list", (params, context) => prompts.list(params, context));
    this.#serveAsking("prompts/get", (params, context) => prompts.get(params, context));
  }

  serveCompleters(completers: object): void {
    if (Object.keys(completers).length > 0) this.#serveCompletion();
  }

  /** Sets the default handler of a method. Keeps a handler that the author has set. */
  serve(method: string, handler: RequestHandler<ServerContext>): void {
    const { router } = this.#sources;
    if (!router.has(method)) router.handle(method, handler);
  }

  #serveLogging(): void {
    this.serve("logging/setLevel", (params, context) => {
      // The router has checked the params against the method's shape.
      context.routed.connection.logLevel = params.level as LoggingLevel;
      return {};
    });
  }

  #serveCompletion(): void {
    const { completion } = this.#sources;
    this.serve("completion/complete", (params, context) => completion.complete(params, context));
  }

  /** Sets the default handler of a method whose handlers may ask the client. */
  #serveAsking(method: string, handler: RequestHandler<ServerContext>): void {
    this.serve(method, withInput(handler, this.#sources.input));
  }
}
