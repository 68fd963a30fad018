import { isPlainObject } from '../../common/index.js';
import type { AgUiEvent } from './ag-ui.types.js';

type Loose = Record<string, unknown>;

const INPUT_KEYS = {
  thread_id: 'threadId',
  run_id: 'runId',
  parent_run_id: 'parentRunId',
  forwarded_props: 'forwardedProps',
  protocol_version: 'protocolVersion',
} as const;
const MESSAGE_KEYS = {
  tool_calls: 'toolCalls',
  tool_call_id: 'toolCallId',
  encrypted_value: 'encryptedValue',
  activity_type: 'activityType',
  subagent_run_id: 'subagentRunId',
} as const;
const CALL_KEYS = { encrypted_value: 'encryptedValue' } as const;
const MEDIA_KEYS = { mime_type: 'mimeType' } as const;
const RESUME_KEYS = { interrupt_id: 'interruptId' } as const;

/**
 * A RunAgentInput with known protocol keys in camelCase and nulls of its own fields left out (contract
 * ag-ui, section 6, rule 1). Where both spellings come, camelCase wins. Opaque values (`state`,
 * `forwardedProps`, tool parameters, metadata, payloads, activity content) are not looked into. What
 * is no object or list where one is expected stays as it is, for the decoder to refuse.
 */
export function normaliseRunInput(body: Readonly<Loose>): Loose {
  const input = renamed(body, INPUT_KEYS);
  mapItems(input, 'messages', normaliseMessage);
  mapItems(input, 'resume', (entry) => renamed(entry, RESUME_KEYS));
  mapItems(input, 'tools', (tool) => renamed(tool, {}));
  mapItems(input, 'context', (entry) => renamed(entry, {}));
  return input;
}

function normaliseMessage(message: Readonly<Loose>): Loose {
  const own = renamed(message, MESSAGE_KEYS);
  mapItems(own, 'toolCalls', (call) => renamed(call, CALL_KEYS));
  if (own['role'] !== 'activity') mapItems(own, 'content', normalisePart);
  return own;
}

function normalisePart(part: Readonly<Loose>): Loose {
  const own = renamed(part, MEDIA_KEYS);
  if (isPlainObject(own['source'])) own['source'] = renamed(own['source'], MEDIA_KEYS);
  return own;
}

function mapItems(owner: Loose, key: string, map: (item: Readonly<Loose>) => Loose): void {
  const items = owner[key];
  if (Array.isArray(items)) owner[key] = items.map((item: unknown) => (isPlainObject(item) ? map(item) : item));
}

/** A copy without nulls, with aliases renamed unless the true name is there too. */
function renamed(source: Readonly<Loose>, aliases: Readonly<Record<string, string>>): Loose {
  const target: Loose = {};
  for (const [key, value] of Object.entries(source)) {
    if (value === null) continue;
    const name = Object.hasOwn(aliases, key) ? (aliases[key] as string) : key;
    if (name !== key && source[name] !== undefined && source[name] !== null) continue;
    target[name] = value;
  }
  return target;
}

/** How the keys of events are written (contract ag-ui, section 6, rule 2). */
export const KEY_CASES = ['auto', 'camel', 'both', 'snake'] as const;
/** A case that is decided: `both` adds snake_case copies of the camelCase keys. */
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
