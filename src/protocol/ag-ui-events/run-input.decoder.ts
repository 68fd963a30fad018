import { AppError, isPlainObject, type Json, type JsonObject } from '../../common/index.js';
import type { Message } from '../../events/index.js';
import type { ToolDeclaration } from '../../agent/tools/index.js';
import { FieldReader, fieldError, fieldReaderAt, kindOf } from '../http/bodies/field-reader.js';
import { normaliseRunInput } from './key-case.js';
import { decodeMessages } from './message.decoder.js';

/** Items that a request may have at most, per list. */
const MAX_MESSAGES = 10_000;
const MAX_TOOLS = 256;
const MAX_CONTEXT = 256;
const MAX_RESUMES = 256;
/** Characters of the thread, run and interrupt ids. */
const ID_LENGTH = { min: 1, max: 256 };
/** The names that a tool may have. */
const TOOL_NAME = /^[A-Za-z0-9_.-]{1,128}$/;
/** A key that is reserved for the server. */
export const REQUEST_CONTEXT = '__request_context__';
/** A protocol version, `major.minor`. */
const VERSION = /^\d+\.\d+$/;

/** One answer to an interrupt (contract ag-ui, section 2.5). */
export interface ResumeEntry {
  /** The id of the question, as the outcome of the interrupted run named it. */
  readonly interruptId: string;
  /** `cancelled`: the user declined to answer. */
  readonly status: 'resolved' | 'cancelled';
  /** The answer; its shape depends on the kind of the interrupt. */
  readonly payload?: Json;
}

/** A RunAgentInput as a wire uses it: the messages in the server's own vocabulary, all else checked. */
export interface RunAgentInput {
  /** The session's id. */
  readonly threadId: string;
  /** The client's id of the run, unique within the thread only. */
  readonly runId: string;
  /** The client's id of the run that this one follows. */
  readonly parentRunId?: string;
  /** Absent: a client from before 1.0. */
  readonly protocolVersion?: string;
  /** The whole conversation as the client knows it, activities left out. */
  readonly messages: readonly Message[];
  /** The ids of messages that the client sent without one of their own. */
  readonly unnamed: ReadonlySet<string>;
  /** The client's own tools; the last declaration of a name wins. */
  readonly tools: readonly ToolDeclaration[];
  /** Facts for the model: they become part of this run's instructions. */
  readonly context: readonly { readonly description: string; readonly value: string }[];
  /** Absent when the client has none; an empty object says nothing either. */
  readonly state?: JsonObject;
  /** Settings of the run. A value that was not an object is under `value`. */
  readonly forwardedProps: JsonObject;
  /** Answers to open interrupts; empty when the request resumes nothing. */
  readonly resume: readonly ResumeEntry[];
}

/**
 * Decodes a RunAgentInput, as lenient as contract ag-ui, section 1.1: null is absent, snake_case
 * names of known keys count, unknown keys are passed over, only `threadId`, `runId` and `messages`
 * must be there. Expects JSON that `checkJsonLimits` has passed. The same body gives the same ids.
 *
 * @throws AppError MISSING_PARAMETER, PARAMETER_VALIDATION (wrong type), INVALID_PARAMETER (wrong value)
 */
export function decodeRunInput(body: unknown): RunAgentInput {
  if (!isPlainObject(body)) {
    throw new AppError('PARAMETER_VALIDATION', `The request body must be a JSON object, not ${kindOf(body ?? null)}`);
  }
  const fields = new FieldReader(normaliseRunInput(body), '');
  const threadId = fields.required('threadId', ID_LENGTH);
  const runId = fields.required('runId', ID_LENGTH);
  const parentRunId = fields.string('parentRunId', ID_LENGTH);
  const protocolVersion = fields.string('protocolVersion');
  if (protocolVersion !== undefined && !VERSION.test(protocolVersion)) {
    throw fieldError('protocolVersion', 'must be a version such as 1.0', 'INVALID_PARAMETER');
  }
  const items = fields.list('messages', MAX_MESSAGES);
  if (!items) throw fieldError('messages', 'is required', 'MISSING_PARAMETER');
  const state = clientState(fields.object('state') as JsonObject | undefined);
  return {
    threadId,
    runId,
    ...(parentRunId !== undefined && { parentRunId }),
    ...(protocolVersion !== undefined && { protocolVersion }),
    ...decodeMessages(items, [threadId]),
    tools: decodeTools(fields.list('tools', MAX_TOOLS) ?? [], parametersOf),
    context: (fields.list('context', MAX_CONTEXT) ?? []).map(decodeContext),
    ...(Object.keys(state).length > 0 && { state }),
    forwardedProps: forwardedProps(fields),
    resume: (fields.list('resume', MAX_RESUMES) ?? []).map(decodeResume),
  };
}

/** The shared state as a client may set it: without the key that is reserved for the server (contract ag-kit, section 2). */
export function clientState(state: JsonObject | undefined): JsonObject {
  // A copy of a large state takes long, and few have the key.
  if (state && !Object.hasOwn(state, REQUEST_CONTEXT)) return state;
  return Object.fromEntries(Object.entries(state ?? {}).filter(([key]) => key !== REQUEST_CONTEXT));
}

/** Any JSON is accepted; a value that is not an object is kept under `value`. */
function forwardedProps(fields: FieldReader): JsonObject {
  const value = fields.source['forwardedProps'] as Json | undefined;
  if (value === undefined || value === null) return {};
  return isPlainObject(value) ? value : { value };
}

/**
 * Decodes tools of a client. The last declaration of a name counts.
 *
 * @param parametersOf reads the JSON Schema of a tool's arguments
 * @throws AppError MISSING_PARAMETER, INVALID_PARAMETER naming the path of the first wrong field
 */
export function decodeTools(
  items: readonly unknown[],
  parametersOf: (tool: FieldReader) => JsonObject,
): readonly ToolDeclaration[] {
  const tools = new Map<string, ToolDeclaration>();
  for (const [index, item] of items.entries()) {
    const fields = fieldReaderAt(item, `tools[${index}]`);
    const name = fields.required('name');
    if (!TOOL_NAME.test(name)) {
      const rule = 'must have 1 to 128 characters of A-Z, a-z, 0-9, _, . and -';
      throw fieldError(fields.at('name'), rule, 'INVALID_PARAMETER');
    }
    tools.set(name, { name, description: fields.string('description') ?? '', parameters: parametersOf(fields) });
  }
  return [...tools.values()];
}

/** Any JSON may stand here, `true` for example; what describes no arguments asks for none. */
function parametersOf({ source }: FieldReader): JsonObject {
  const value = source['parameters'];
  return isPlainObject(value) ? (value as JsonObject) : { type: 'object', properties: {} };
}

/** Both fields may be missing: they then are empty texts. */
function decodeContext(item: unknown, index: number): { description: string; value: string } {
  const fields = fieldReaderAt(item, `context[${index}]`);
  return { description: fields.string('description') ?? '', value: fields.string('value') ?? '' };
}

/**
 *
 * An entry without a status is an answer.
 *
 * @throws AppError MISSING_PARAMETER, INVALID_PARAMETER naming the field
 */
function decodeResume(item: unknown, index: number): ResumeEntry {
  const fields = fieldReaderAt(item, `resume[${index}]`);
  const interruptId = fields.required('interruptId', ID_LENGTH);
  const status = fields.string('status') ?? 'resolved';
  if (status !== 'resolved' && status !== 'cancelled') {
    throw fieldError(fields.at('status'), 'must be resolved or cancelled', 'INVALID_PARAMETER');
  }
  const payload = fields.source['payload'] as Json | undefined;
  return { interruptId, status, ...(payload !== undefined && { payload }) };
}
