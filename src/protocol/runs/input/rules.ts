import { isPlainObject } from '../../../common/index.js';
import { checkClientTime } from '../../http/bodies/client-time.js';
import type { RunsErrorCode } from '../runs.errors.js';
import type { RuleViolation, Source } from './run-input.js';
import { lengthOf } from './shape.js';

/** Bytes of a request body, as received. */
export const MAX_BODY_BYTES = 262_144;
/** Characters of a run id, in Unicode code points. */
const MAX_RUN_ID = 128;
/** Messages of one request. */
const MAX_MESSAGES = 200;
/** Characters of the user's text, all text blocks together, in Unicode code points. */
const MAX_USER_TEXT = 10_000;
/** Attachments of the user's message. */
const MAX_ATTACHMENTS = 3;

/** A UUID of any version, in any letter case. */
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const IMAGE_TYPE = /^image\/[a-z0-9.+-]+$/i;
/** The only keys that `forwardedProps` may have. */
const PROPS_KEYS: readonly string[] = ['agent_type', 'client_time'];

/** What the rules need to know of this server. */
export interface RuleOptions {
  /** Whether a request may name this agent type. */
  readonly isKnownAgent: (name: string) => boolean;
  /** What happens to a `client_time` with a bad value: it is refused, or counts as missing. */
  readonly onInvalidClientTime: 'reject' | 'fallback';
}

/** An attachment as the rules look at it, whichever way it was written. */
export interface Attachment {
  /** The block's path in the request, as error details show it. */
  readonly path: string;
  /** Undefined when an image part names none. */
  readonly mimeType: unknown;
  /** Whether a missing MIME type is an error: true for every form but an image part. */
  readonly typeRequired: boolean;
  /** Data in the request itself, which is never accepted: images are uploaded first. */
  readonly data: unknown;
  /** The address of an uploaded image. */
  readonly url: unknown;
}

/**
 * Checks contract runs-api, section 2.2, rules 3 to 17, in this order. Expects an input that has passed
 * `shapeViolations`.
 */
export function ruleViolations(input: Source, options: RuleOptions): readonly RuleViolation[] {
  const messages = input['messages'] as readonly Source[];
  const users = messages.flatMap((message, index) => (message['role'] === 'user' ? [{ message, index }] : []));
  return [
    ...threadIdRule(input['threadId']),
    ...limit('RUN_ID_TOO_LONG', 'runId', MAX_RUN_ID, lengthOf(input['runId'] as string)),
    ...limit('TOO_MANY_MESSAGES', 'messages', MAX_MESSAGES, messages.length),
    ...(users.length === 1 ? [] : [violation('USER_MESSAGE_COUNT', 'messages', 'count', 1, users.length)]),
    ...(messages[0]?.['role'] === 'user' ? [] : [violation('USER_MESSAGE_NOT_FIRST', 'messages[0].role', 'first')]),
    ...users.flatMap(({ message, index }) =>
      limit('USER_TEXT_TOO_LONG', `messages[${index}].content`, MAX_USER_TEXT, textLength(message['content'])),
    ),
    ...users.flatMap(({ message, index }) => attachmentRules(message['content'], `messages[${index}].content`)),
    ...forwardedPropsRules(input['forwardedProps'], options),
  ];
}

/** The attachments among the blocks of a user message. */
export function attachmentsOf(content: unknown, path: string): readonly Attachment[] {
  if (!Array.isArray(content)) return [];
  return (content as readonly Source[]).flatMap((block, index): Attachment[] => {
    const at = `${path}[${index}]`;
    if (block['type'] === 'text') return [];
    if (block['type'] === 'binary') {
      return [{ path: at, mimeType: block['mimeType'], typeRequired: true, data: block['data'], url: block['url'] }];
    }
    const source = block['source'] as Source;
    const value = source['value'];
    return [
      {
        path: at,
        mimeType: source['mimeType'] ?? undefined,
        typeRequired: block['type'] !== 'image',
        data: source['type'] === 'data' ? (value ?? '') : undefined,
        url: source['type'] === 'url' ? value : undefined,
      },
    ];
  });
}

/** A thread id is a UUID. */
function threadIdRule(value: unknown): readonly RuleViolation[] {
  return typeof value === 'string' && UUID.test(value) ? [] : [violation('INVALID_THREAD_ID', 'threadId', 'uuid')];
}

/** The text blocks together; attachments do not count. */
function textLength(content: unknown): number {
  if (typeof content === 'string') return lengthOf(content);
  const blocks = content as readonly Source[];
  return blocks.reduce((sum, { type, text }) => sum + (type === 'text' ? lengthOf(text as string) : 0), 0);
}

/** contract runs-api, section 2.2, rules 9 to 12: the number of attachments, then block by block. */
function attachmentRules(content: unknown, path: string): readonly RuleViolation[] {
  const attachments = attachmentsOf(content, path);
  return [
    ...limit('TOO_MANY_ATTACHMENTS', path, MAX_ATTACHMENTS, attachments.length),
    ...attachments.flatMap(attachmentRule),
  ];
}

/** All rules that one attachment breaks. */
function attachmentRule({ path, mimeType, typeRequired, data, url }: Attachment): readonly RuleViolation[] {
  const typed = mimeType === undefined ? !typeRequired : typeof mimeType === 'string' && IMAGE_TYPE.test(mimeType);
  return [
    ...(typed ? [] : [violation('ATTACHMENT_NOT_IMAGE', `${path}.mimeType`, 'image')]),
    ...(data === undefined || data === null ? [] : [violation('ATTACHMENT_DATA', `${path}.data`, 'absent')]),
    ...(typeof url === 'string' && url !== '' ? [] : [violation('ATTACHMENT_URL_MISSING', `${path}.url`, 'required')]),
  ];
}

/** The error code for each field of `client_time`; the empty key is for a value that is not an object. */
const CLIENT_TIME_CODES = {
  '': 'INVALID_FORWARDED_PROPS',
  device_timezone: 'INVALID_DEVICE_TIMEZONE',
  client_now_iso: 'INVALID_CLIENT_NOW_ISO',
  client_epoch_ms: 'INVALID_CLIENT_EPOCH_MS',
} as const satisfies Record<string, RunsErrorCode>;

/** contract runs-api, section 2.2, rules 13 to 17. */
function forwardedPropsRules(props: unknown, options: RuleOptions): readonly RuleViolation[] {
  const fail = (path: string, rule: string): readonly RuleViolation[] => [
    violation('INVALID_FORWARDED_PROPS', path, rule),
  ];
  if (!isPlainObject(props)) return fail('forwardedProps', 'object');
  const extra = Object.keys(props).find((key) => !PROPS_KEYS.includes(key));
  if (extra !== undefined) return fail(`forwardedProps.${extra}`, 'unknown');
  const { agent_type: agentType, client_time: clientTime } = props;
  if (typeof agentType !== 'string' || !options.isKnownAgent(agentType)) {
    return fail('forwardedProps.agent_type', 'registered');
  }
  if (clientTime === undefined) return [];
  const checked = checkClientTime(clientTime);
  if (checked.ok || (checked.field !== '' && options.onInvalidClientTime === 'fallback')) return [];
  const path = checked.field === '' ? '' : `.${checked.field}`;
  return [violation(CLIENT_TIME_CODES[checked.field], `forwardedProps.client_time${path}`, 'valid')];
}

/** A violation if `actual` exceeds `max`. Error details show both numbers. */
function limit(code: RunsErrorCode, path: string, max: number, actual: number): readonly RuleViolation[] {
  return actual > max ? [violation(code, path, 'max', max, actual)] : [];
}

/** A violation without its message, which the code determines. */
function violation(code: RunsErrorCode, path: string, rule: string, max?: number, actual?: number): RuleViolation {
  return { code, path, rule, ...(max !== undefined && { limit: max }), ...(actual !== undefined && { actual }) };
}
