/** Sampling: a server asks the client's model. */
import { type Requirements, SCRIPTED } from "./requirement.js";

export const sampling: Requirements = {
  "sampling:capability:declare": {
    behavior: "A client with a sample handler declares sampling, and one without does not.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/client/sampling#capabilities",
    strength: "must",
    needs: ["session"],
  },
  "sampling:create:basic": {
    behavior: "A tool's sampling request is answered by the client's handler, and the answer returns in the tool.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/client/sampling#creating-messages",
    strength: "stated",
    needs: ["server-requests"],
  },
  "sampling:create:request": {
    behavior: "In the legacy era the question goes out as a request of the server while the call is open.",
    source: "https://modelcontextprotocol.io/specification/2025-11-25/client/sampling#creating-messages",
    strength: "stated",
    until: "2025-11-25",
    needs: ["server-requests"],
  },
  "sampling:mrtr:create:basic": {
    behavior:
      "In the modern era the question is part of an input_required result, the answer is part of the retry, and the server sends no request.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/client/sampling#creating-messages",
    strength: "stated",
    since: "2026-07-28",
  },
  "sampling:create:model-preferences": {
    behavior: "Model hints and priorities reach the client's handler untouched.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/client/sampling#model-preferences",
    strength: "stated",
    needs: ["server-requests"],
  },
  "sampling:create:system-prompt": {
    behavior: "The system prompt reaches the client's handler untouched.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/client/sampling#system-prompt",
    strength: "stated",
    needs: ["server-requests"],
  },
  "sampling:create:parameters": {
    behavior: "The token limit, temperature, stop sequences and metadata reach the client's handler untouched.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/client/sampling#sampling-parameters",
    strength: "must",
    needs: ["server-requests"],
  },
  "sampling:create:include-context": {
    behavior: "The wish for context reaches a client that declared everything about sampling.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/client/sampling#context-inclusion",
    strength: "may",
    needs: ["server-requests"],
  },
  "sampling:create:image-content": {
    behavior: "An image survives in a sampling message and in the answer.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/client/sampling#image-content",
    strength: "stated",
    needs: ["server-requests"],
  },
  "sampling:create:audio-content": {
    behavior: "Audio survives in a sampling message and in the answer.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/client/sampling#audio-content",
    strength: "stated",
    since: "2025-03-26",
    needs: ["server-requests"],
  },
  "sampling:create:audio-content-before": {
    behavior: "Audio is refused before anything is sent where the revision has none.",
    source: { decision: "asking-by-revision" },
    strength: "decision",
    until: "2024-11-05",
  },
  "sampling:create:result-fields": {
    behavior: "The model's name, its own stop reason and extra fields return in the tool.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/client/sampling#result-fields",
    strength: "stated",
    needs: ["server-requests"],
  },
  "sampling:create:everywhere": {
    behavior: "Prompts and resource reads sample as tools do.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr#supported-requests",
    strength: "may",
    needs: ["server-requests"],
  },
  "sampling:create:own-messages": {
    behavior: "A sampling request holds the messages it was given and none of an earlier request.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/client/sampling#messages",
    strength: "should",
    needs: ["server-requests"],
  },
  "sampling:create:not-supported": {
    behavior: "A client that did not declare sampling is not asked: the call fails and names the capability.",
    source:
      "https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr#server-requirements-basic-workflow",
    strength: "must",
    needs: ["session"],
  },
  "sampling:context:server-gated-by-capability": {
    behavior: "Context of servers is asked only of clients that declared sampling.context.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/client/sampling#capabilities",
    strength: "should",
    since: "2025-11-25",
    needs: ["server-requests"],
  },
  "sampling:context:ungated-before": {
    behavior: "Where there is no capability for context, declaring sampling is enough.",
    source: "https://modelcontextprotocol.io/specification/2025-06-18/client/sampling#capabilities",
    strength: "may",
    until: "2025-06-18",
    needs: ["server-requests"],
  },
  "sampling:tools:server-gated-by-capability": {
    behavior: "Tools, or a choice among them, are offered only to clients that declared sampling.tools.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/client/sampling#tools-in-sampling",
    strength: "must",
    since: "2025-11-25",
    needs: ["server-requests"],
  },
  "sampling:tools:not-before": {
    behavior:
      "Where sampling has no tools, a request with tools is refused before anything is sent, whatever the client declared.",
    source: { decision: "asking-by-revision" },
    strength: "decision",
    until: "2025-06-18",
  },
  "sampling:create:tools": {
    behavior:
      "Tools and tool choice reach the model, its tool use returns, and the results go back in the next request.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/client/sampling#multi-turn-tool-loop",
    strength: "stated",
    since: "2025-11-25",
    needs: ["server-requests"],
  },
  "sampling:result:with-tools-array-content": {
    behavior: "A model may answer with text and several tool uses at once.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/client/sampling#parallel-tool-use",
    strength: "may",
    since: "2025-11-25",
    needs: ["server-requests"],
  },
  "sampling:result:tool-use-unoffered": {
    behavior: "A client's handler that answers with a tool use nobody offered fails on its own side.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/client/sampling#security-considerations",
    strength: "should",
    since: "2025-11-25",
    needs: ["server-requests"],
  },
  "sampling:message:content-cardinality": {
    behavior: "Content is one block or a list of them, in messages and answers, and stays as it was given.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/client/sampling#result-fields",
    strength: "stated",
    since: "2025-11-25",
    needs: ["server-requests"],
  },
  "sampling:message:single-content-before": {
    behavior: "A list of blocks is refused on the side it comes from where content is a single block.",
    source: "https://modelcontextprotocol.io/specification/2025-06-18/client/sampling#messages",
    strength: "stated",
    until: "2025-06-18",
    needs: ["server-requests"],
  },
  "sampling:tool-use:server-preflight": {
    behavior:
      "A conversation with unsettled tool uses or mixed tool results is refused in the server, before anything is sent.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/client/sampling#security-considerations",
    strength: "must",
    since: "2025-11-25",
  },
  "sampling:tool-use:result-balance": {
    behavior: "A client refuses a conversation in which a tool use has no result, and its handler does not run.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/client/sampling#tool-use-and-result-balance",
    strength: "must",
    since: "2025-11-25",
    over: SCRIPTED,
  },
  "sampling:tool-result:no-mixed-content": {
    behavior:
      "A client refuses a message in which tool results are mixed with other content, and its handler does not run.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/client/sampling#tool-result-messages",
    strength: "must",
    since: "2025-11-25",
    over: SCRIPTED,
  },
  "sampling:error:user-rejected": {
    behavior: "An error of the client's handler, such as the user's refusal, reaches the tool with its code.",
    source: "https://modelcontextprotocol.io/specification/2025-11-25/client/sampling#error-handling",
    strength: "should",
    until: "2025-11-25",
    needs: ["server-requests"],
  },
  "sampling:mrtr:error:user-rejected": {
    behavior: "An error of the client's handler ends the client's own call, and nothing is sent again.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/client/sampling#error-handling",
    strength: "stated",
    since: "2026-07-28",
  },
  "sampling:tool-loop:ends": {
    behavior:
      "A tool that samples in a loop without end is stopped: in the legacy era by the client's rate, in the modern one by its rounds.",
    source: { decision: "tool-loops" },
    strength: "decision",
    needs: ["server-requests"],
  },
  "sampling:error:undeclared": {
    behavior:
      "A client without a sample handler answers -32600, and -32602 where the request needs tools that it did not declare.",
    source: { decision: "failing-input-handlers" },
    strength: "decision",
    until: "2025-11-25",
    over: SCRIPTED,
  },
  "sampling:mrtr:error:undeclared": {
    behavior: "A client that is asked to sample although it did not declare it ends its call and sends nothing.",
    source: { decision: "failing-input-handlers" },
    strength: "decision",
    since: "2026-07-28",
    over: SCRIPTED,
  },
  "sampling:answer:malformed": {
    behavior:
      "An answer that is none, or not by a model, is refused: in the legacy era in the tool, in the modern one with -32602.",
    source: { decision: "malformed-answers" },
    strength: "decision",
    over: SCRIPTED,
  },
};
