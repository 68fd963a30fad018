import type { AgUiEvent } from './ag-ui.types.js';

/** How the keys of events are written (contract ag-ui, section 6, rule 2). */
export const KEY_CASES = ['auto', 'camel', 'both', 'snake'] as const;
/** A case that is decided: `both` adds snake_case copies beside the camelCase keys. */
export type KeyCase = Exclude<(typeof KEY_CASES)[number], 'auto'>;

/** The snake_case names of top-level keys. Nothing below them is ever renamed. */
const SNAKE: Readonly<Record<string, string>> = {
  threadId: 'thread_id',
  runId: 'run_id',
  parentRunId: 'parent_run_id',
  protocolVersion: 'protocol_version',
  messageId: 'message_id',
  parentMessageId: 'parent_message_id',
  toolCallId: 'tool_call_id',
  toolCallName: 'tool_call_name',
  stepName: 'step_name',
  activityType: 'activity_type',
  entityId: 'entity_id',
  encryptedValue: 'encrypted_value',
  subagentRunId: 'subagent_run_id',
  parentSubagentRunId: 'parent_subagent_run_id',
  parentToolCallId: 'parent_tool_call_id',
};

/**
 * The event's members as they go out. With snake_case names TOOL_CALL_START also says `message_id`
 * and RUN_ERROR `run_id`, as the readers of those names expect.
 */
export function withKeyCase(event: AgUiEvent, keyCase: KeyCase, runId: string): object {
  if (keyCase === 'camel') return event;
  const out: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(event)) {
    const snake = SNAKE[key];
    if (snake === undefined || keyCase === 'both') out[key] = value;
    if (snake !== undefined) out[snake] = value;
  }
  if (event.type === 'TOOL_CALL_START') out['message_id'] = event.parentMessageId;
  if (event.type === 'RUN_ERROR') out['run_id'] = runId;
  return out;
}
