/** `context.requireUrl`: pages that the user must visit first. An error in the legacy era, questions in the modern one. */
import { ProtocolError } from "../../errors/protocol-error.js";
import type { ElicitUrlParams } from "../../protocol/elicitation.js";
import { ErrorCode } from "../../protocol/error-codes.js";
import { type Question, type UrlAnswer, urlQuestion } from "./questions.js";

export interface RequiredPage {
  readonly params: ElicitUrlParams;
  /** Identifies the question across rounds. */
  readonly key: string;
}

/** The error for a legacy client. */
export function pagesRequired(pages: readonly RequiredPage[]): ProtocolError {
  const elicitations = pages.map(({ params }) => ({ ...params }));
  const message = `The user has to open a page first: ${elicitations.map(({ message }) => message).join("; ")}`;
  return new ProtocolError(ErrorCode.urlElicitationRequired, message, { data: { elicitations } });
}

/**
 * Asks a modern client to open the pages, all in one round. If the handler gets here again, the user is not done there, so
 * the server asks for the pages again. Ends by throwing `InputNeeded` from `ask`, or:
 * @throws {ProtocolError} -32603 if the user declined or cancelled a page.
 */
export async function askForPages(
  pages: readonly RequiredPage[],
  ask: (question: Question<UrlAnswer>) => Promise<UrlAnswer>,
): Promise<never> {
  for (let attempt = 1; ; attempt += 1) {
    const asked = pages.map(async ({ params, key }) => {
      const { action } = await ask(urlQuestion(params, { key: attempt === 1 ? key : `${key}#${attempt}` }));
      return { params, action };
    });
    const refused = (await Promise.all(asked)).find(({ action }) => action !== "accept");
    if (refused) throw notOpened(refused);
  }
}

function notOpened({ params, action }: { readonly params: ElicitUrlParams } & UrlAnswer): ProtocolError {
  const message = `The user did not open the page that this request needs: ${params.message}`;
  return new ProtocolError(ErrorCode.internalError, message, { data: { url: params.url, action } });
}
