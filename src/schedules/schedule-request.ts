import { AppError, isPlainObject, type Json, type JsonObject, type Requester, userReach } from '../common/index.js';
import { type Message, messageOf, type Role } from '../events/index.js';
import type { ModelOptions } from '../agent/index.js';
import type { BusyPolicy, RunRequest } from '../run/index.js';
import type { Schedule } from './schedule.types.js';

const MOST_MESSAGES = 100;
const ROLES = new Set<unknown>(['user', 'system', 'assistant']);

/** Options of the model in requests, as fields of the Agent API, and what each is called inside. */
const OPTIONS = {
  model: ['model', 'string'],
  temperature: ['temperature', 'number'],
  top_p: ['topP', 'number'],
  frequency_penalty: ['frequencyPenalty', 'number'],
  presence_penalty: ['presencePenalty', 'number'],
  max_tokens: ['maxTokens', 'number'],
  seed: ['seed', 'number'],
} as const satisfies Record<string, readonly [keyof ModelOptions, 'string' | 'number']>;

/** The id of the run of a planned time: the same for all processes, whatever happened before. */
export function runIdOf({ id }: Pick<Schedule, 'id'>, plannedAt: number): string {
  return `${id}:${plannedAt}`;
}

/**
 * The request for the run of a schedule. Equal requests for one planned time are one run (contract hooks, section B2).
 *
 * @param runId names the run, and its session if it has one of its own
 */
export function requestOf(schedule: Schedule, runId: string): RunRequest {
  const { tenantId, userId, authority, agent: agentType, session, metadata, modelOptions, overlap } = schedule;
  const principal = { tenantId, userId };
  const requester: Requester | null = authority && {
    ...authority,
    userId,
    requestId: `schedule:${schedule.id}`,
    canDecide: false,
    canWrite: true,
  };
  return {
    principal,
    reach: userReach(principal),
    requester,
    sessionId: session === 'new' ? runId : session,
    runId,
    agentType,
    input: messagesOf(schedule.input, runId),
    clientTools: [],
    modelOptions: optionsOf(modelOptions),
    forwardedProps: metadata === null ? {} : { metadata },
    onBusy: BUSY[overlap],
  };
}

const BUSY = { skip: 'reject', queue: 'enqueue', cancel: 'interrupt' } as const satisfies Record<string, BusyPolicy>;

/** Checks the input of a schedule. @throws AppError INVALID_PARAMETER */
export function checkInput(input: Json): void {
  if (typeof input === 'string') {
    if (input.trim() === '') throw invalid('input', 'must not be empty');
    return;
  }
  if (!Array.isArray(input) || input.length === 0 || input.length > MOST_MESSAGES)
    throw invalid('input', `must be a text, or a list of 1 to ${MOST_MESSAGES} messages`);
  input.forEach((message, index) => {
    const path = `input[${index}]`;
    if (!isPlainObject(message) || !ROLES.has(message['role']))
      throw invalid(`${path}.role`, 'must be user, system or assistant');
    const { content } = message;
    const isText = typeof content === 'string' && content !== '';
    if (!isText && !(Array.isArray(content) && content.length > 0 && content.every(isTextContent)))
      throw invalid(`${path}.content`, 'must be a text, or a list of {type: "text", text}');
  });
}

/** Checks the options of the model of a schedule. @throws AppError INVALID_PARAMETER */
export function checkOptions(options: JsonObject): void {
  for (const [name, value] of Object.entries(options)) {
    const option = Object.hasOwn(OPTIONS, name) ? OPTIONS[name as keyof typeof OPTIONS] : undefined;
    if (!option)
      throw invalid(
        'modelOptions',
        `may have ${Object.keys(OPTIONS).join(', ')}, not ${JSON.stringify(name.slice(0, 64))}`,
      );
    if (typeof value !== option[1]) throw invalid(`modelOptions.${name}`, `must be a ${option[1]}`);
  }
}

function optionsOf(options: JsonObject | null): ModelOptions {
  const known = Object.entries(OPTIONS).flatMap(([name, [key]]) => {
    const value = options?.[name];
    return value === undefined ? [] : [[key, value] as const];
  });
  return Object.fromEntries(known);
}

function messagesOf(input: Schedule['input'], runId: string): readonly Message[] {
  const messages = typeof input === 'string' ? [{ role: 'user', content: input }] : input;
  return messages.map(({ role, content }, index) => {
    const parts =
      typeof content === 'string'
        ? [content]
        : (content as unknown as readonly { readonly text: string }[]).map(({ text }) => text);
    const id = `msg_${runId}:${index}`;
    return messageOf(
      { id, role: role as Role },
      parts.map((text) => ({ type: 'text', text })),
    );
  });
}

function isTextContent(content: unknown): boolean {
  return isPlainObject(content) && content['type'] === 'text' && typeof content['text'] === 'string';
}

function invalid(path: string, problem: string): AppError {
  const message = `${path} ${problem}`;
  return new AppError('INVALID_PARAMETER', message, { details: [{ path, message }] });
}
