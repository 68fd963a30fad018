import { isPlainObject } from '../../common/index.js';

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
