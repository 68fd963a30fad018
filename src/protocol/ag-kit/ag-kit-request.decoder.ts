import { AppError, type Json, type JsonObject } from '../../common/index.js';
import type { Message } from '../../events/index.js';
import type { ToolDeclaration } from '../../tools/index.js';
import { decodeMessages } from '../ag-ui-events/index.js';
import { checkJsonLimits } from '../http/json-limits.js';
import { FieldReader, fieldError, fieldReaderAt } from '../http/field-reader.js';
import { decodeTools } from './tool.decoder.js';

const MAX_MESSAGES = 1000;
const MAX_TOOLS = 256;
const MAX_PAYLOAD_DEPTH = 64;
const NAME_LENGTH = { min: 1, max: 256 };
/** Keys of a request that mean something here; all others go to the agent and its tools. */
const KNOWN: ReadonlySet<string> = new Set(['conversationId', 'messages', 'tools', 'resume', 'botId', 'user_id']);

/** The answer to an interrupt. */
export interface AgKitResume {
  readonly interruptId: string;
  /** Parsed when it came as JSON text. */
  readonly payload: Json;
}

/** What a request of dialect A says. */
export interface AgKitRequest {
  readonly conversationId: string;
  readonly userId: string | undefined;
  /** Only what is new since the last request. */
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDeclaration[];
  readonly resume: AgKitResume | undefined;
  readonly forwardedProps: JsonObject;
}

/**
 * Decodes a request of the original AG-Kit dialect (contract ag-kit, section 1.2). Messages have no ids
 * on this wire; they get some derived from `seed`, which must be another one for every request. Expects
 * JSON that `checkJsonLimits` has passed.
 *
 * @throws AppError MISSING_PARAMETER, PARAMETER_VALIDATION (wrong type), INVALID_PARAMETER (wrong value)
 */
export function decodeAgKitRequest(body: Readonly<Record<string, unknown>>, seed: string): AgKitRequest {
  const fields = new FieldReader(body, '');
  const conversationId = fields.string('conversationId', NAME_LENGTH);
  if (conversationId === undefined) throw fieldError('conversationId', 'is required', 'MISSING_PARAMETER');
  const items = fields.list('messages', MAX_MESSAGES);
  const resume = decodeResume(fields);
  if (!items && !resume) throw fieldError('messages', 'or resume is required', 'MISSING_PARAMETER');
  return {
    conversationId,
    userId: fields.string('user_id', NAME_LENGTH),
    messages: decodeMessages((items ?? []).map(wireMessage), [seed]),
    tools: decodeTools(fields.list('tools', MAX_TOOLS) ?? []),
    resume,
    forwardedProps: extrasOf(body),
  };
}

/** Everything that the wire itself does not know. `__request_context__` is the server's to write. */
export function extrasOf(body: Readonly<Record<string, unknown>>, known: ReadonlySet<string> = KNOWN): JsonObject {
  const extras = Object.entries(body).filter(([key]) => !known.has(key) && key !== '__request_context__');
  return Object.fromEntries(extras) as JsonObject;
}

/** Messages have a text; ids that Python clients give assistant messages name nothing here. */
function wireMessage(item: unknown, index: number): unknown {
  const fields = fieldReaderAt(item, `messages[${index}]`);
  const content = fields.string('content');
  if (content === undefined && fields.string('role') !== 'assistant') {
    throw fieldError(fields.at('content'), 'is required', 'MISSING_PARAMETER');
  }
  return { ...fields.source, id: undefined };
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

/** The hook sends JSON text, so a plain answer arrives quoted twice; text that is no JSON is meant as it is. */
function parsedPayload(text: string): Json {
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    return text;
  }
  try {
    checkJsonLimits(value, { maxDepth: MAX_PAYLOAD_DEPTH });
  } catch (error) {
    const reason = error instanceof AppError ? error.message : 'too large';
    throw fieldError('resume.payload', `is refused: ${reason}`, 'INVALID_PARAMETER');
  }
  return value;
}
