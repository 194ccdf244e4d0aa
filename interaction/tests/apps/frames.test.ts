import { runInNewContext } from "node:vm";
import { contentSecurityPolicy, PostMessageTransport, sandboxPage } from "parley-mcp/apps";
import { expect } from "vitest";
import { verifies } from "../../src/verifies.js";

const ORIGIN = "https://sandbox.example";
const message = { jsonrpc: "2.0", method: "ui/notifications/initialized" } as const;

/** A window that notes what is posted to it. */
function frame() {
  const posted: unknown[] = [];
  return { posted, postMessage: (data: unknown, origin: string) => void posted.push([data, origin]) };
}

function messageEvent(from: { source?: unknown; origin?: string }): Event {
  return Object.assign(new Event("message"), { data: message, ...from });
}

verifies(
  "apps:transport:peer",
  "a transport drops messages of another window or origin, also when they come from its own frame with another origin",
  () => {
    const [target, other] = [frame(), frame()];
    const listenOn = new EventTarget();
    const received: unknown[] = [];
    const transport = PostMessageTransport.overWindow({ target, origin: ORIGIN, listenOn });
    transport.start({
      receive: (data) => void received.push(data),
      receiveUnparsable: () => undefined,
      closed: () => void received.push("closed"),
    });

    for (const source of [target, other, undefined]) {
      for (const origin of [ORIGIN, "https://evil.example", "null"])
        listenOn.dispatchEvent(messageEvent({ source, origin }));
    }
    transport.send(message);
    transport.close();
    transport.close();
    listenOn.dispatchEvent(messageEvent({ source: target, origin: ORIGIN }));

    expect(received).toEqual([message, "closed"]);
    expect(target.posted).toEqual([[message, ORIGIN]]);
    expect(other.posted).toEqual([]);
    expect(() => transport.send(message)).toThrow(expect.objectContaining({ code: "connection-closed" }));
  },
);

verifies(
  "apps:transport:peer",
  "a transport of a frame with an opaque origin receives messages of origin null alone, and posts to any origin",
  () => {
    const target = frame();
    const listenOn = new EventTarget();
    const received: unknown[] = [];
    const transport = PostMessageTransport.overWindow({ target, origin: "null", listenOn });
    transport.start({
      receive: (data) => void received.push(data),
      receiveUnparsable: () => undefined,
      closed: () => undefined,
    });

    for (const origin of ["null", ORIGIN]) listenOn.dispatchEvent(messageEvent({ source: target, origin }));
    transport.send(message);

    expect(received).toEqual([message]);
    expect(target.posted).toEqual([[message, "*"]]);
  },
);

verifies(
  "apps:transport:peer",
  "PostMessageTransport throws at once for a malformed origin, a missing window and a detached frame",
  () => {
    const listenOn = new EventTarget();
    const over = (options: object) => () =>
      PostMessageTransport.overWindow({ target: frame(), origin: ORIGIN, listenOn, ...options });

    for (const origin of ["https://sandbox.example/", "*", "sandbox.example", undefined, "data:text/html,x"]) {
      expect(over({ origin })).toThrow('origin: expected an origin such as "https://sandbox.example"');
    }
    expect(over({ target: null })).toThrow("put the frame into the document first");
    const detached = Object.assign(new EventTarget(), { contentWindow: null });
    expect(() => PostMessageTransport.overFrame(detached, { origin: ORIGIN, listenOn })).toThrow(
      "frame: expected a window; put the frame into the document first",
    );
    expect(() => PostMessageTransport.overFrame(detached, { origins: ORIGIN } as never)).toThrow(
      'did you mean "origin"',
    );
    expect(over({ listenOn: undefined })).toThrow("this runtime has none of its own");
    expect(over({ maxMessageBytes: 0 })).toThrow("maxMessageBytes");
    expect(over({ maxMessageByte: 1 })).toThrow('did you mean "maxMessageBytes"');
    expect(() => PostMessageTransport.overWindow(undefined as never)).toThrow(
      "PostMessageTransport: expected an object",
    );
    const { port1 } = new MessageChannel();
    expect(() => PostMessageTransport.overPort(port1, { maxBytes: 1 } as object)).toThrow("maxMessageBytes");
    expect(() => sandboxPage("*")).toThrow("hostOrigin: expected an origin");
    expect(sandboxPage("https://chat.example")).toContain('"HOST":"https://chat.example"');
  },
);

verifies(
  "apps:sandbox-page",
  "the sandbox page passes on the messages between the host and the page, and no message of another window",
  () => {
    const [host, inner] = [frame(), frame()];
    const made: Record<string, unknown>[] = [];
    const loads: (() => void)[] = [];
    const visited: string[] = [];
    const shown: unknown[] = [];
    let listener: (event: object) => void = () => undefined;
    const makeElement = (tag: string) => {
      const element = {
        tag,
        contentWindow: inner,
        addEventListener: (_type: string, listener: () => void) => void loads.push(listener),
        outerHTML: `<${tag}>`,
        setAttribute: (name: string, value: string) => {
          Object.assign(element, { [name]: value });
        },
      };
      made.push(element);
      return element;
    };
    const script = sandboxPage("https://chat.example").split("<script>")[1]?.split("</script>")[0] ?? "";
    runInNewContext(script, {
      parent: host,
      location: { replace: (url: string) => void visited.push(url) },
      addEventListener: (_type: string, given: typeof listener) => {
        listener = given;
      },
      document: {
        createElement: makeElement,
        head: { append: (element: unknown) => void shown.push(element) },
        body: { append: (element: unknown) => void shown.push(element) },
      },
    });
    const send = (source: unknown, origin: string, data: object) => listener({ source, origin, data });
    const ready = (params: object) => ({ method: "ui/notifications/sandbox-resource-ready", params });
    const csp = {
      connectDomains: ["https://api.example", "https://x.example; script-src *"],
      baseUriDomains: ["https://base.example"],
    };

    send(host, "https://evil.example", ready({ html: "evil" }));
    expect(shown).toEqual([]);
    send(host, "https://chat.example", ready({ html: "<p>page", csp, permissions: { camera: {}, usb: {} } }));
    send(host, "https://chat.example", ready({ html: "again" }));
    send(host, "https://chat.example", { id: 1, result: {} });
    send(inner, "null", message);
    send(inner, "null", { method: "ui/notifications/sandbox-proxy-ready" });
    send(frame(), "https://chat.example", message);

    expect(made).toEqual([
      expect.objectContaining({ tag: "meta", content: contentSecurityPolicy(csp) }),
      expect.objectContaining({
        tag: "iframe",
        sandbox: "allow-scripts",
        allow: "camera",
        srcdoc: "<!doctype html><meta><p>page",
      }),
    ]);
    expect(shown).toEqual(made);
    expect(host.posted).toEqual([
      [{ jsonrpc: "2.0", method: "ui/notifications/sandbox-proxy-ready", params: {} }, "https://chat.example"],
      [message, "https://chat.example"],
    ]);
    expect(inner.posted).toEqual([[{ id: 1, result: {} }, "*"]]);

    loads.shift()?.();
    expect(visited).toEqual([]);
    loads.shift()?.();
    expect(visited).toEqual(["about:blank"]);
  },
);
