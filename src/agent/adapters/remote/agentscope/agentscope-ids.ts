/**
 * A call of AgentScope: it is answered by the reply that made it, by its id, and with its name. Together they are what
 * the server calls the upstream's id of the call.
 */
export interface AgentScopeCall {
  readonly replyId: string;
  readonly callId: string;
  readonly name: string;
}

/** The call as one text. */
export function callText({ replyId, callId, name }: AgentScopeCall): string {
  return `${replyId}/${callId}/${name}`;
}

/** The call of a text that `callText` has made. */
export function callOf(text: string): AgentScopeCall {
  const [first, last] = [text.indexOf('/'), text.lastIndexOf('/')];
  return { replyId: text.slice(0, first), callId: text.slice(first + 1, last), name: text.slice(last + 1) };
}

/** What a decision needs of the call that it is about. */
export interface AskedConfirmation extends AgentScopeCall {
  /** The arguments, as JSON text. */
  readonly input: string;
}

/** The confirmation as the id of a request. */
export function confirmationText({ replyId, callId, name, input }: AskedConfirmation): string {
  return JSON.stringify([replyId, callId, name, input]);
}

/** The confirmation of an id that `confirmationText` has made. */
export function confirmationOf(text: string): AskedConfirmation {
  const [replyId = '', callId = '', name = '', input = ''] = JSON.parse(text) as string[];
  return { replyId, callId, name, input };
}
