import type { AgentResponse, Message } from '../../events/index.js';

/**
 * A response whose last output messages are the calls and approval requests that its client answers: the chat
 * UI takes the last message for what the turn ends with (contract agent-api, section a.4, rule 4). All other
 * messages keep their order. Returns the response itself if the order is right already.
 */
export function withOpenCallsLast(response: AgentResponse): AgentResponse {
  const output = response.output ?? [];
  const first = output.findIndex(isOpenCall);
  if (first < 0 || output.slice(first).every(isOpenCall)) return response;
  const others = output.filter((message) => !isOpenCall(message));
  return { ...response, output: [...others, ...output.filter(isOpenCall)] };
}

/** Calls of the server have other types: `function_call` is always a call that the client answers. */
function isOpenCall({ type }: Message): boolean {
  return type === 'function_call' || type === 'mcp_approval_request';
}
