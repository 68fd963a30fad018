import { isPlainObject } from '../../../common/index.js';
import type { RuleViolation, Source } from './run-input.js';

const PARENT_ID_LENGTH = 128;
const MESSAGE_ID_LENGTH = 256;

/**
 * Checks contract runs-api, section 2.2, rule 2: the types of the fields, but for `threadId` and
 * `forwardedProps`, which have rules of their own. Expects resolved aliases. Null counts as absent where a
 * field is optional.
 */
export function shapeViolations(input: Source): readonly RuleViolation[] {
  const check = new ShapeCheck();
  check.name(input, 'runId', 'runId', Number.MAX_SAFE_INTEGER);
  if (isPresent(input['parentRunId'])) check.name(input, 'parentRunId', 'parentRunId', PARENT_ID_LENGTH, 0);
  if (check.list(input['messages'], 'messages', true)) {
    input['messages'].forEach((item, index) => checkMessage(check, item, `messages[${index}]`));
  }
  if (check.list(input['tools'], 'tools')) {
    input['tools'].forEach((item, index) => checkTool(check, item, `tools[${index}]`));
  }
  if (check.list(input['context'], 'context')) {
    input['context'].forEach((item, index) => checkContext(check, item, `context[${index}]`));
  }
  return check.violations;
}

/** Checks the fields that depend on the role. */
type MessageCheck = (check: ShapeCheck, message: Source, path: string) => void;

/** The checks per role. An activity is the client's own and may have any fields. */
const MESSAGE_CHECKS: Readonly<Record<string, MessageCheck>> = {
  user: (check, message, path) => {
    check.optionalText(message, 'name', path);
    check.optionalText(message, 'encryptedValue', path);
    if (typeof message['content'] === 'string') return;
    if (!check.list(message['content'], `${path}.content`, true)) return;
    message['content'].forEach((item, index) => checkBlock(check, item, `${path}.content[${index}]`));
  },
  assistant: (check, message, path) => {
    for (const name of ['content', 'name', 'encryptedValue']) check.optionalText(message, name, path);
    if (!check.list(message['toolCalls'], `${path}.toolCalls`)) return;
    message['toolCalls'].forEach((item, index) => checkToolCall(check, item, `${path}.toolCalls[${index}]`));
  },
  system: checkPlainMessage,
  developer: checkPlainMessage,
  tool: (check, message, path) => {
    check.text(message, 'content', path);
    check.text(message, 'toolCallId', path);
    check.optionalText(message, 'error', path);
    check.optionalText(message, 'encryptedValue', path);
  },
  reasoning: (check, message, path) => {
    check.optionalText(message, 'content', path);
    check.optionalText(message, 'encryptedValue', path);
  },
  activity: () => undefined,
};

/** The fields of system and developer messages. */
function checkPlainMessage(check: ShapeCheck, message: Source, path: string): void {
  check.text(message, 'content', path);
  check.optionalText(message, 'name', path);
  check.optionalText(message, 'encryptedValue', path);
}

/** The id and the role of a message, then what its role asks for. */
function checkMessage(check: ShapeCheck, value: unknown, path: string): void {
  if (!check.object(value, path)) return;
  check.name(value, 'id', `${path}.id`, MESSAGE_ID_LENGTH);
  const role = value['role'];
  const own = typeof role === 'string' && Object.hasOwn(MESSAGE_CHECKS, role) ? MESSAGE_CHECKS[role] : undefined;
  if (own) own(check, value, path);
  else check.fail(`${path}.role`, `must be one of ${Object.keys(MESSAGE_CHECKS).join(', ')}`);
}

/** Attachments have rules of their own; this checks the rest. */
function checkBlock(check: ShapeCheck, value: unknown, path: string): void {
  if (!check.object(value, path)) return;
  if (value['type'] === 'text') {
    check.text(value, 'text', path);
    return;
  }
  if (value['type'] === 'binary') {
    check.optionalText(value, 'id', path);
    check.optionalText(value, 'filename', path);
    return;
  }
  if (!MEDIA_PARTS.has(value['type'])) check.fail(`${path}.type`, 'must be text or binary');
  else if (check.object(value['source'], `${path}.source`)) check.text(value['source'], 'type', `${path}.source`);
}

/** The media parts of AG-UI: an image is an attachment, the others are refused as attachments that are no images. */
export const MEDIA_PARTS: ReadonlySet<unknown> = new Set(['image', 'audio', 'video', 'document']);

/** A tool call of an assistant; its arguments are JSON text and are not parsed here. */
function checkToolCall(check: ShapeCheck, value: unknown, path: string): void {
  if (!check.object(value, path)) return;
  check.text(value, 'id', path);
  check.optionalText(value, 'encryptedValue', path);
  if (value['type'] !== 'function') check.fail(`${path}.type`, 'must be function');
  const call = value['function'];
  if (!check.object(call, `${path}.function`)) return;
  check.text(call, 'name', `${path}.function`);
  check.text(call, 'arguments', `${path}.function`);
}

/** A tool of the front-end; its `parameters` are an object, whose content is not checked. */
function checkTool(check: ShapeCheck, value: unknown, path: string): void {
  if (!check.object(value, path)) return;
  check.text(value, 'name', path, 1);
  check.text(value, 'description', path);
  check.object(value['parameters'], `${path}.parameters`);
}

/** Both fields of a context entry are required. */
function checkContext(check: ShapeCheck, value: unknown, path: string): void {
  if (!check.object(value, path)) return;
  check.text(value, 'description', path);
  check.text(value, 'value', path);
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** Collects what is wrong with the types of fields. */
class ShapeCheck {
  /** In the order in which the fields were checked. */
  readonly violations: RuleViolation[] = [];

  /** Records a violation. @param message what is wrong, to follow the path */
  fail(path: string, message: string): void {
    this.violations.push({ code: 'INVALID_RUN_AGENT_INPUT', path, rule: 'type', message: `${path} ${message}` });
  }

  /** True for an object to look into; anything else is recorded as a violation. */
  object(value: unknown, path: string): value is Source {
    if (isPlainObject(value)) return true;
    this.fail(path, 'must be an object');
    return false;
  }

  /** True for a list to look into; an absent one is wrong only where it is required. */
  list(value: unknown, path: string, required = false): value is readonly unknown[] {
    if (Array.isArray(value)) return true;
    if (required || isPresent(value)) this.fail(path, 'must be a list');
    return false;
  }

  /** Records a violation unless the field is a string of at least `min` characters. */
  text(source: Source, name: string, path: string, min = 0): void {
    const value = source[name];
    if (typeof value !== 'string' || value.length < min) {
      this.fail(`${path}.${name}`, min > 0 ? 'must be a string that is not empty' : 'must be a string');
    }
  }

  /** As `text`, for a field that may be absent or null. */
  optionalText(source: Source, name: string, path: string): void {
    if (isPresent(source[name])) this.text(source, name, path);
  }

  /** An id that is stored as it is: no database keeps a NUL, none tells broken surrogates apart. */
  name(source: Source, name: string, path: string, max: number, min = 1): void {
    const value = source[name];
    if (typeof value !== 'string' || value.length < min) this.fail(path, 'must be a string that is not empty');
    else if (lengthOf(value) > max) this.fail(path, `must have at most ${max} characters`);
    else if (value.includes('\0') || /[\ud800-\udfff]/u.test(value)) this.fail(path, 'must be well-formed text');
  }
}

/** The length of a text in Unicode code points. */
export function lengthOf(text: string): number {
  let length = 0;
  for (const character of text) length += character ? 1 : 0;
  return length;
}
