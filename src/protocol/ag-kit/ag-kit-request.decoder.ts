import { isPlainObject, type Json, type JsonObject } from '../../common/index.js';
import type { Message } from '../../events/index.js';
import type { InterruptAnswer, InterruptKind } from '../../agent/interrupt/index.js';
import type { ToolDeclaration } from '../../agent/tools/index.js';
import { decodeMessages, decodeTools, REQUEST_CONTEXT } from '../ag-ui-events/index.js';
import { FieldReader, fieldError, fieldReaderAt, kindOf } from '../http/bodies/field-reader.js';
import { parseFieldText } from '../http/bodies/json-text.js';

const MAX_MESSAGES = 1000;
const MAX_TOOLS = 256;
const NAME_LENGTH = { min: 1, max: 256 };
/** Keys of a request that this wire interprets; all others are passed to the agent and its tools. */
const KNOWN: ReadonlySet<string> = new Set([
  ...['conversationId', 'messages', 'tools', 'resume', 'botId', 'user_id', 'userId'],
]);

/** Words that decide an approval. */
const YES: ReadonlySet<unknown> = new Set([
  true,
  ...['true', 'yes', 'y', 'ok', 'approve', 'approved', 'accept', 'accepted'],
]);
const NO: ReadonlySet<unknown> = new Set([false, ...['false', 'no', 'n', 'deny', 'denied', 'reject', 'rejected']]);

/** The answer to an interrupt. */
export interface AgKitResume {
  readonly interruptId: string;
  /** Parsed when it came as JSON text. */
  readonly payload: Json;
}

/** A decoded request of dialect A. */
export interface AgKitRequest {
  readonly conversationId: string;
  /** Only messages that are new since the last request. */
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDeclaration[];
  readonly resume: AgKitResume | undefined;
  readonly forwardedProps: JsonObject;
}

/**
 * Decodes a request of the original AG-Kit dialect (contract ag-kit, section 1.2). Messages have no ids on this
 * wire; theirs are derived from `seed`, which must differ for every request. Expects JSON that `checkJsonLimits`
 * has passed.
 *
 * @throws AppError MISSING_PARAMETER, PARAMETER_VALIDATION (wrong type), INVALID_PARAMETER (wrong value)
 */
export function decodeAgKitRequest(body: Readonly<Record<string, unknown>>, seed: string): AgKitRequest {
  const fields = new FieldReader(body, '');
  const conversationId = fields.required('conversationId', NAME_LENGTH);
  const items = fields.list('messages', MAX_MESSAGES);
  const resume = decodeResume(fields);
  if (!items && !resume) throw fieldError('messages', 'or resume is required', 'MISSING_PARAMETER');
  return {
    conversationId,
    messages: decodeMessages((items ?? []).map(wireMessage), [seed]).messages,
    tools: decodeTools(fields.list('tools', MAX_TOOLS) ?? [], schemaOf),
    resume,
    forwardedProps: extrasOf(body),
  };
}

/** The keys that the wire does not interpret, without the reserved key `__request_context__`. */
export function extrasOf(body: Readonly<Record<string, unknown>>, known: ReadonlySet<string> = KNOWN): JsonObject {
  const extras = Object.entries(body).filter(([key]) => !known.has(key) && key !== REQUEST_CONTEXT);
  return Object.fromEntries(extras) as JsonObject;
}

/** Messages have a text. Ids, which Python clients give assistant messages, are ignored. */
function wireMessage(item: unknown, index: number): unknown {
  const fields = fieldReaderAt(item, `messages[${index}]`);
  const content = fields.string('content');
  if (content === undefined && fields.string('role') !== 'assistant') {
    throw fieldError(fields.at('content'), 'is required', 'MISSING_PARAMETER');
  }
  return fields.source['id'] === undefined ? fields.source : { ...fields.source, id: undefined };
}

function decodeResume(fields: FieldReader): AgKitResume | undefined {
  const value = fields.object('resume');
  if (!value) return undefined;
  const resume = new FieldReader(value, 'resume');
  const interruptId = resume.string('interruptId', NAME_LENGTH);
  if (interruptId === undefined) throw fieldError('resume.interruptId', 'is required', 'MISSING_PARAMETER');
  const payload = (value['payload'] ?? null) as Json;
  return { interruptId, payload: typeof payload === 'string' ? parsedPayload(payload) : payload };
}

/** The JSON value of a text; the text itself if it is not JSON. */
function parsedPayload(text: string): Json {
  return parseFieldText(text, 'resume.payload', text) as Json;
}

/** The schema of a tool (contract ag-kit, section 1.2): a JSON Schema as text, or the schema itself. */
function schemaOf(fields: FieldReader): JsonObject {
  const value = fields.source['parameters'] ?? { type: 'object', properties: {} };
  const path = fields.at('parameters');
  const schema = typeof value === 'string' ? parseFieldText(value, path) : value;
  if (isPlainObject(schema)) return schema as JsonObject;
  throw fieldError(path, `must be a JSON Schema object or its JSON text, not ${kindOf(schema)}`);
}

/**
 * The answer that a `resume` gives to an interrupt. An approval takes `{approved, reason?, arguments?}`, true,
 * false, or a word such as `yes`; the vendor's hook quotes any of them as JSON text a second time. An input takes
 * its payload unchanged. A payload without a decision is passed on without one, which the core refuses.
 *
 * @throws AppError INVALID_PARAMETER for a text of too deeply nested JSON
 */
export function answerOf({ interruptId, payload: given }: AgKitResume, kind: InterruptKind): InterruptAnswer {
  if (kind === 'input') return { interruptId, status: 'resolved', payload: given };
  const payload = typeof given === 'string' ? parsedPayload(given) : given;
  const fields: JsonObject = isPlainObject(payload) ? payload : { approved: payload };
  const approve = decision(fields['approved'] ?? fields['approve']);
  const { reason } = fields;
  const edited = fields['arguments'] ?? fields['editedArgs'] ?? fields['editedArguments'] ?? null;
  return {
    interruptId,
    status: 'resolved',
    ...(approve !== undefined && { approve }),
    ...(typeof reason === 'string' && { reason }),
    ...(edited !== null && { editedArguments: edited }),
  };
}

function decision(value: unknown): boolean | undefined {
  const word = typeof value === 'string' ? value.trim().toLowerCase() : value;
  if (YES.has(word)) return true;
  return NO.has(word) ? false : undefined;
}
