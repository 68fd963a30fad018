import {
  AppError,
  fingerprint,
  type IdFactory,
  isPlainObject,
  type Json,
  type JsonObject,
} from '../../common/index.js';
import type { ModelOptions } from '../../agent/index.js';
import type { BusyPolicy, RunRequest } from '../../run/index.js';
import type { ClientTime, ToolDeclaration } from '../../agent/tools/index.js';
import { type Caller, namedUser, sentWith } from '../../access/index.js';
import { checkClientTime } from '../http/bodies/client-time.js';
import { fieldError, FieldReader, fieldReaderAt, kindOf } from '../http/bodies/field-reader.js';
import { submissionOf } from '../wire/submission.js';
import { parseFieldText } from '../http/bodies/json-text.js';
import { decodeAnswers } from './approval.decoder.js';
import { decodeMessage, messageIds, withOwnIds } from './message.decoder.js';

/** The names that a function may have. */
const NAME = /^[A-Za-z0-9_.-]{1,128}$/;

/**
 * Decodes `tools`: each `{type: "function", function: {name, description, parameters}}` or flat, the
 * parameters a JSON Schema object or its JSON text. Any other object is accepted and passed over, as
 * the original does (contract agent-api, section a.2): it names nothing that a client could run.
 *
 * @throws AppError naming the path of the first wrong field, or the name that appears twice
 */
function decodeTools(items: readonly unknown[]): readonly ToolDeclaration[] {
  const names = new Set<string>();
  return items.flatMap((item, index) => {
    const tool = decodeTool(fieldReaderAt(item, `tools[${index}]`));
    if (!tool) return [];
    if (names.has(tool.name)) throw fieldError(`tools[${index}]`, `repeats the name ${tool.name}`, 'INVALID_PARAMETER');
    names.add(tool.name);
    return [tool];
  });
}

/** Undefined if it is not a function. */
function decodeTool(outer: FieldReader): ToolDeclaration | undefined {
  const type = outer.string('type');
  const nested = outer.object('function');
  const isFunction = nested !== undefined || type === 'function' || (type === undefined && 'name' in outer.source);
  if (!isFunction) return undefined;
  const fields = nested ? fieldReaderAt(nested, outer.at('function')) : outer;
  const name = fields.required('name');
  if (!NAME.test(name)) {
    throw fieldError(
      fields.at('name'),
      'must have 1 to 128 characters of A-Z, a-z, 0-9, _, . and -',
      'INVALID_PARAMETER',
    );
  }
  return { name, description: fields.string('description') ?? '', parameters: parametersOf(fields) };
}

/**
 *
 * The JSON Schema of the arguments; a function without one takes none.
 *
 * @throws AppError PARAMETER_VALIDATION for anything but an object or its JSON text
 */
function parametersOf(fields: FieldReader): JsonObject {
  const value = fields.source['parameters'] ?? { type: 'object', properties: {} };
  const path = fields.at('parameters');
  const schema: unknown = typeof value === 'string' ? parseFieldText(value, path) : value;
  if (!isPlainObject(schema))
    throw fieldError(path, `must be a JSON Schema object or its JSON text, not ${kindOf(schema)}`);
  return schema as JsonObject;
}

/** Messages of one request. */
const MAX_MESSAGES = 1000;
/** Tools of one request. */
const MAX_TOOLS = 100;
/** Stop sequences of one request. */
const MAX_STOPS = 16;
/** Characters of session and user ids. */
const NAME_LENGTH = { min: 1, max: 256 };
/** The ids that a client may give a run: printable ASCII without spaces. */
const RUN_ID = /^[\x21-\x7e]{1,128}$/;

/** The fields this wire knows; all others are kept for tools and agents. */
const KNOWN_FIELDS: ReadonlySet<string> = new Set([
  ...['input', 'stream', 'id', 'response_id', 'session_id', 'user_id', 'tools', 'forwarded_props'],
  ...['model', 'top_p', 'temperature', 'frequency_penalty', 'presence_penalty', 'max_tokens', 'seed', 'stop', 'n'],
]);

/** A decoded request of `POST /process`. */
export interface AgentRequest {
  /** The run as the core takes it. */
  readonly request: RunRequest;
  /** False: one JSON answer instead of an event stream. */
  readonly stream: boolean;
}

/** What the decoder needs from outside. */
export interface DecoderOptions {
  /** Makes the ids of messages and sessions that the client did not name. */
  readonly ids: IdFactory;
  /** The agent that this endpoint runs. */
  readonly agentType: string;
  /** What happens when the session already has an active run. */
  readonly onBusy: BusyPolicy;
  /** Resolves the user that the request names. */
  readonly caller: Pick<Caller, 'submitter' | 'traceparent' | 'webhook'>;
}

/**
 * Decodes an AgentRequest (contract agent-api, section a.2), lenient where the contract is: extra fields are
 * kept, nulls are absent, server output may come back as input. Fields are checked in a fixed order and
 * the first wrong one is reported. Expects JSON that `checkJsonLimits` has passed.
 *
 * A request that names its run gets the same ids every time it is decoded, so that a repeated request
 * is recognised.
 *
 * @throws AppError MISSING_PARAMETER, PARAMETER_VALIDATION (wrong type), INVALID_PARAMETER (wrong value)
 */
export function decodeAgentRequest(body: unknown, options: DecoderOptions): AgentRequest {
  if (!isPlainObject(body)) {
    throw new AppError('PARAMETER_VALIDATION', `The request body must be a JSON object, not ${kindOf(body ?? null)}`);
  }
  const fields = new FieldReader(body, '');
  const runId = runIdOf(fields);
  const derive = runId === undefined ? undefined : (name: string) => fingerprint([runId, name]).slice(0, 32);
  const newId = messageIds(options.ids, derive);
  const items = fields.list('input', MAX_MESSAGES);
  if (!items) throw fieldError('input', 'is required: a list of messages', 'MISSING_PARAMETER');
  const messages = items.map((item, index) => decodeMessage(item, `input[${index}]`, () => newId(`${index}`)));
  const input = withOwnIds(messages, (index) => newId(`again ${index}`));
  const stream = fields.boolean('stream') ?? true;
  const answers = decodeAnswers(input);
  const namedSession = fields.string('session_id', NAME_LENGTH);
  const sessionId = namedSession ?? (derive ? uuidOf(derive('session')) : options.ids.next(''));
  const user = namedUser('user_id', fields.string('user_id', NAME_LENGTH));
  const { agentType, onBusy, caller } = options;
  const { principal, reach, requester, traceparent } = submissionOf(caller, { named: user, unnamed: sessionId });
  const clientTools = decodeTools(fields.list('tools', MAX_TOOLS) ?? []);
  const modelOptions = modelOptionsOf(fields);
  const { clientTime, forwardedProps } = forwardedOf(fields);
  // An answer may come alone: then its interrupt determines the session.
  const alone = namedSession === undefined && { sessionGiven: false };
  const request: RunRequest = {
    principal,
    reach,
    requester,
    sessionId,
    agentType,
    input,
    clientTools,
    modelOptions,
    forwardedProps,
    onBusy,
    ...(traceparent !== undefined && { traceparent }),
    ...sentWith(caller, objectOf(forwardedProps['metadata'])),
    ...(runId !== undefined && { runId }),
    ...(clientTime && { clientTime }),
    ...(answers.length > 0 && { answers, ...alone }),
  };
  return { request, stream };
}

/**
 *
 * The run's id, from `id` or its alias.
 *
 * @throws AppError INVALID_PARAMETER if the two differ or the id has other characters
 */
function runIdOf(fields: FieldReader): string | undefined {
  const [id, alias] = [fields.string('id'), fields.string('response_id')];
  if (id !== undefined && alias !== undefined && id !== alias) {
    throw fieldError('response_id', 'differs from id: they name the same thing', 'INVALID_PARAMETER');
  }
  const runId = id ?? alias;
  if (runId !== undefined && !RUN_ID.test(runId)) {
    throw fieldError(
      id === undefined ? 'response_id' : 'id',
      'must have 1 to 128 printable ASCII characters without spaces',
      'INVALID_PARAMETER',
    );
  }
  return runId;
}

/** 32 hex digits in the shape of a UUID. */
function uuidOf(hex: string): string {
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-');
}

/** `n` is only checked: there is always one answer. */
function modelOptionsOf(fields: FieldReader): ModelOptions {
  fields.integer('n', { min: 1, max: 5 });
  const settings = {
    model: fields.string('model'),
    temperature: fields.number('temperature'),
    topP: fields.number('top_p'),
    frequencyPenalty: fields.number('frequency_penalty'),
    presencePenalty: fields.number('presence_penalty'),
    maxTokens: fields.integer('max_tokens', { min: 1, max: Number.MAX_SAFE_INTEGER }),
    stop: stopOf(fields),
    seed: fields.integer('seed'),
  };
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}

/** One sequence or a list of them. @throws AppError PARAMETER_VALIDATION for an item that is not a string */
function stopOf(fields: FieldReader): readonly string[] | undefined {
  if (typeof fields.source['stop'] === 'string') return [fields.source['stop']];
  const items = fields.list('stop', MAX_STOPS);
  items?.forEach((item, index) => {
    if (typeof item !== 'string') throw fieldError(`stop[${index}]`, `must be a string, not ${kindOf(item)}`);
  });
  return items as readonly string[] | undefined;
}

/** `client_time` is decoded; the other properties and all unknown fields are passed on unchanged. */
function forwardedOf(fields: FieldReader): { clientTime: ClientTime | undefined; forwardedProps: JsonObject } {
  const props = (fields.object('forwarded_props') ?? {}) as JsonObject;
  const given = props['client_time'];
  // Member by member: lists of entries, and copies by `...`, take many times as long if there are thousands.
  const forwardedProps: JsonObject = {};
  for (const name of Object.keys(fields.source)) {
    if (!KNOWN_FIELDS.has(name)) forwardedProps[name] = fields.source[name] as Json;
  }
  for (const [name, value] of Object.entries(props)) if (name !== 'client_time') forwardedProps[name] = value;
  if (given === undefined || given === null) return { clientTime: undefined, forwardedProps };
  const result = checkClientTime(given);
  if (result.ok) return { clientTime: result.value, forwardedProps };
  const path = ['forwarded_props.client_time', result.field].filter(Boolean).join('.');
  const message = result.field === '' ? 'invalid forwarded_props.client_time' : `invalid client_time.${result.field}`;
  throw new AppError('INVALID_PARAMETER', message, { details: [{ path, message }] });
}

function objectOf(value: Json | undefined): JsonObject | undefined {
  return isPlainObject(value) ? value : undefined;
}
