import { AppError, isPlainObject, type Json, type JsonObject } from '../../../common/index.js';
import { checkClientTime } from '../../http/client-time.js';
import { RUNS_ERRORS, RunsError } from '../runs.error-codes.js';
import { resolveAliases } from './aliases.js';
import { attachmentsOf, type RuleOptions, ruleViolations } from './rules.js';
import type { BinaryBlock, RuleViolation, RunInput, Source, TextBlock, UserMessage } from './run-input.js';
import { shapeViolations } from './shape.js';

/** Details that an answer carries at most: the first rule decides, the others are help. */
const MAX_DETAILS = 20;

/**
 * Checks and decodes a RunAgentInput (contract runs-api, section 2.2, rules 0 to 17): the first rule
 * that is broken gives the sentence, the code and the status; `details` names the others that could be
 * seen. Pure: nothing is looked up but the agent types. Expects JSON that `checkJsonLimits` has passed.
 *
 * @throws AppError with the code of the rule
 */
export function decodeRunInput(body: unknown, options: RuleOptions): RunInput {
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
