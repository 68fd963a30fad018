import { dataOf, type Message } from '../../events/index.js';
import type { AgUiEvent } from './ag-ui.types.js';

/** What a tool message says of a call that was stopped before it had a result. */
export const STOPPED_RESULT = '{"status":"stopped","reason":"stop_requested"}';

/** The id of the tool message of a call that was stopped. */
export function stoppedResultId(callMessageId: string): string {
  return `${callMessageId}_stopped`;
}

/** The output of a call as a message of the log tells it; undefined when it names no call. */
export function callOutputOf(message: Message): { callId: string; output: string } | undefined {
  const data = dataOf(message);
  const callId = data?.['call_id'];
  if (typeof callId !== 'string') return undefined;
  const output = data?.['output'] ?? '';
  return { callId, output: typeof output === 'string' ? output : JSON.stringify(output) };
}

/** The result event of an output message. */
export function resultEvents(message: Message): AgUiEvent[] {
  const result = callOutputOf(message);
  if (!result) return [];
  return [
    {
      type: 'TOOL_CALL_RESULT',
      messageId: message.id,
      toolCallId: result.callId,
      content: result.output,
      role: 'tool',
      ...(message.metadata?.['is_error'] === true && { metadata: { isError: true } }),
    },
  ];
}
