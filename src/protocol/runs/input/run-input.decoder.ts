import { AppError, canonicalJson, isPlainObject, type Json, type JsonObject } from '../../../common/index.js';
import { checkClientTime } from '../../http/bodies/client-time.js';
import { RUNS_ERRORS, RunsError } from '../runs.errors.js';
import { attachmentsOf, type RuleOptions, ruleViolations } from './rules.js';
import type { BinaryBlock, RuleViolation, RunInput, Source, TextBlock, UserMessage } from './run-input.js';
import { shapeViolations } from './shape.js';

/** The snake_case spellings of one place of the schema (contract runs-api, section 2.1). */
type Aliases = Readonly<Record<string, string>>;

/** Keys of the request itself. */
const TOP: Aliases = {
  thread_id: 'threadId',
  run_id: 'runId',
  parent_run_id: 'parentRunId',
  forwarded_props: 'forwardedProps',
};
/** Keys of a message. */
const MESSAGE: Aliases = { tool_calls: 'toolCalls', tool_call_id: 'toolCallId', encrypted_value: 'encryptedValue' };
const TOOL_CALL: Aliases = { encrypted_value: 'encryptedValue' };
/** Keys of a content block and of its `source`. */
const BLOCK: Aliases = { mime_type: 'mimeType' };

/**
 * Brings the keys of a RunAgentInput to their camelCase spelling, by their place in the schema: what is
 * opaque (`state`, schemas, context values, `forwardedProps`) stays as it is. Two spellings with
 * different values are a violation.
 */
function resolveAliases(body: Source, violations: RuleViolation[]): Source {
  const top = renamed(body, TOP, '', violations);
  const { messages } = top;
  if (!Array.isArray(messages)) return top;
  return { ...top, messages: messages.map((message, index) => messageOf(message, `messages[${index}]`, violations)) };
}

/** The keys of a message, its blocks and its calls. A value that is not an object is left to the shape check. */
function messageOf(value: unknown, path: string, violations: RuleViolation[]): unknown {
  if (!isPlainObject(value)) return value;
  const message = { ...renamed(value, MESSAGE, path, violations) };
  const nested = (key: string, aliases: Aliases): void => {
    const items = message[key];
    if (!Array.isArray(items)) return;
    message[key] = items.map((item: unknown, index) =>
      isPlainObject(item) ? blockOf(item, aliases, `${path}.${key}[${index}]`, violations) : item,
    );
  };
  nested('content', BLOCK);
  nested('toolCalls', TOOL_CALL);
  return message;
}

/** A block, and the `source` of an AG-UI part in it. */
function blockOf(block: Source, aliases: Aliases, path: string, violations: RuleViolation[]): Source {
  const result = renamed(block, aliases, path, violations);
  const { source } = result;
  if (!isPlainObject(source)) return result;
  return { ...result, source: renamed(source, aliases, `${path}.source`, violations) };
}

/**
 *
 * Renames the keys of one object. The object itself is returned when it has no alias.
 *
 * Adds a violation if both spellings occur with different values.
 */
function renamed(source: Source, aliases: Aliases, path: string, violations: RuleViolation[]): Source {
  if (!Object.keys(aliases).some((alias) => Object.hasOwn(source, alias))) return source;
  const result: Record<string, unknown> = { ...source };
  for (const [alias, name] of Object.entries(aliases)) {
    if (!Object.hasOwn(source, alias)) continue;
    if (Object.hasOwn(source, name) && canonicalJson(source[name]) !== canonicalJson(source[alias])) {
      const at = path === '' ? name : `${path}.${name}`;
      violations.push({ code: 'INVALID_RUN_AGENT_INPUT', path: at, rule: 'alias', message: `differs from ${alias}` });
    }
    result[name] = source[alias];
    delete result[alias];
  }
  return result;
}

/** Details that an answer carries at most: the first rule decides, the others are help. */
const MAX_DETAILS = 20;

/**
 * Checks and decodes a RunAgentInput (contract runs-api, section 2.2, rules 0 to 17): the first rule
 * that is broken gives the sentence, the code and the status; `details` names the others that could be
 * seen. Pure: nothing is looked up but the agent types. Expects JSON that `checkJsonLimits` has passed.
 *
 * @throws AppError with the code of the rule
 */
export function decodeRunsInput(body: unknown, options: RuleOptions): RunInput {
  if (!isPlainObject(body)) throw new AppError('INVALID_JSON', RUNS_ERRORS.INVALID_RUN_AGENT_INPUT.message);
  const shape: RuleViolation[] = [];
  const input = resolveAliases(body, shape);
  shape.push(...shapeViolations(input));
  refuse(shape);
  refuse(ruleViolations(input, options));
  return runInputOf(input);
}

/** @throws RunsError of the first violation, if there is one */
function refuse(violations: readonly RuleViolation[]): void {
  const [first] = violations;
  if (!first) return;
  const details = violations.slice(0, MAX_DETAILS).map(({ code, path, rule, message, limit, actual }) => ({
    path,
    message: message ?? RUNS_ERRORS[code].message,
    ...(rule !== undefined && { rule }),
    ...(limit !== undefined && { limit }),
    ...(actual !== undefined && { actual }),
  }));
  throw new RunsError(first.code, undefined, { details });
}

/** Builds the checked input. The casts hold because the shape and the rules were checked before. */
function runInputOf(input: Source): RunInput {
  const messages = input['messages'] as readonly Source[];
  const props = input['forwardedProps'] as Source;
  const clientTime = checkClientTime(props['client_time']);
  return {
    threadId: (input['threadId'] as string).toLowerCase(),
    runId: input['runId'] as string,
    parentRunId: (input['parentRunId'] as string | null | undefined) ?? undefined,
    state: (input['state'] ?? {}) as Json,
    messages: messages.map((message) => completed(knownFields(message))),
    user: userMessage(messages[0] as Source),
    tools: listOf(input['tools']).map(({ name, description, parameters }) => ({
      name: name as string,
      description: description as string,
      parameters: parameters as JsonObject,
    })),
    context: listOf(input['context']).map(({ description, value }) => ({
      description: description as string,
      value: value as string,
    })),
    agentType: props['agent_type'] as string,
    clientTime: clientTime.ok ? clientTime.value : undefined,
  };
}

/** A list that may be absent or null. */
function listOf(value: unknown): readonly Source[] {
  return (value ?? []) as readonly Source[];
}

/** What the schema knows of a message; AG-UI adds fields now and then, which are left out. */
const MESSAGE_FIELDS = [
  ...['id', 'role', 'content', 'name', 'encryptedValue', 'toolCalls', 'toolCallId', 'error', 'activityType'],
];

/** Only known fields that have a value: a null field is equal to an absent one when requests are compared. */
function knownFields(message: Source): JsonObject {
  const known = MESSAGE_FIELDS.filter((name) => message[name] !== undefined && message[name] !== null);
  return Object.fromEntries(known.map((name) => [name, message[name] as Json]));
}

/** Gives messages of the front-end what AG-UI's readers insist on, so that they can be replayed. */
function completed(message: JsonObject): JsonObject {
  if (message['role'] === 'reasoning') return { content: '', ...message };
  if (message['role'] !== 'activity') return message;
  const { content, activityType } = message;
  return {
    ...message,
    activityType: typeof activityType === 'string' ? activityType : 'activity',
    content: isPlainObject(content) ? content : { value: content ?? null },
  };
}

/** The user's message as blocks; a plain text becomes one text block. */
function userMessage(message: Source): UserMessage {
  const id = message['id'] as string;
  const { content } = message;
  if (typeof content === 'string') return { id, blocks: [{ type: 'text', text: content }] };
  const blocks = (content as readonly Source[]).map((block): TextBlock | BinaryBlock => {
    if (block['type'] === 'text') return { type: 'text', text: block['text'] as string };
    const [attachment] = attachmentsOf([block], '');
    const filename = block['filename'];
    return {
      type: 'binary',
      mimeType: (attachment?.mimeType as string | undefined)?.toLowerCase(),
      url: attachment?.url as string,
      ...(typeof filename === 'string' && { filename }),
    };
  });
  return { id, blocks };
}
