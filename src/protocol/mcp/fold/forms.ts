import { isPlainObject, type Json, type JsonObject } from '../../../common/index.js';
import type { OpenInterrupt } from '../../../events/index.js';
import type { InterruptAnswer } from '../../../agent/interrupt/index.js';

/** Characters of arguments that a form shows. */
const SHOWN = 2000;
const PRIMITIVE: ReadonlySet<unknown> = new Set(['string', 'number', 'integer', 'boolean']);

const APPROVAL: JsonObject = {
  type: 'object',
  properties: {
    approve: { type: 'boolean', title: 'Approve', description: 'Whether the call may be made.' },
    reason: { type: 'string', title: 'Reason', description: 'Told to the agent.' },
  },
  required: ['approve'],
};

/** A question as `elicitation/create` asks it (contract mcp-server, section 7.1). */
export interface Form {
  readonly id: string;
  readonly params: JsonObject;
}

/** The form of a question; undefined if its schema fits into none. */
export function formOf(item: OpenInterrupt, agent: string): Form | undefined {
  if (item.kind === 'approval') {
    return { id: item.id, params: { mode: 'form', message: approvalText(item, agent), requestedSchema: APPROVAL } };
  }
  const requestedSchema = schemaOf(item.response_schema);
  const message = item.message === null || item.message === '' ? `${agent} needs an input.` : item.message;
  return requestedSchema && { id: item.id, params: { mode: 'form', message, requestedSchema } };
}

/** What a client has answered: an answer, or that nothing is decided. */
export type FormAnswer = { readonly kind: 'answer'; readonly answer: InterruptAnswer } | { readonly kind: 'dismissed' };

/** The answer to the form of a question; undefined if it does not fit. @param result `{action, content?}` */
export function answerIn(
  item: Pick<OpenInterrupt, 'id' | 'kind' | 'response_schema'>,
  result: unknown,
): FormAnswer | undefined {
  if (!isPlainObject(result)) return undefined;
  const { action } = result;
  const content = isPlainObject(result['content']) ? result['content'] : {};
  if (action === 'cancel') return { kind: 'dismissed' };
  if (action !== 'accept' && action !== 'decline') return undefined;
  const { id: interruptId, kind } = item;
  if (kind === 'approval') {
    const { approve = action === 'decline' ? false : undefined, reason } = content;
    if (typeof approve !== 'boolean' || (reason !== undefined && typeof reason !== 'string')) return undefined;
    const isApproved = approve && action === 'accept';
    const why = reason === undefined || reason === '' ? {} : { reason: reason.slice(0, SHOWN) };
    return { kind: 'answer', answer: { interruptId, status: 'resolved', approve: isApproved, ...why } };
  }
  if (action === 'decline') return { kind: 'answer', answer: { interruptId, status: 'cancelled' } };
  const isWrapped = !isObjectSchema(item.response_schema);
  const payload = (isWrapped ? content['value'] : content) as Json | undefined;
  if (payload === undefined) return undefined;
  return { kind: 'answer', answer: { interruptId, status: 'resolved', payload } };
}

function approvalText({ tool_name: tool, arguments: args, reason }: OpenInterrupt, agent: string): string {
  const text = args ?? '{}';
  const shown = text.length > SHOWN ? `${text.slice(0, SHOWN).replace(/[\ud800-\udbff]$/, '')}…` : text;
  const why = reason === null || reason === '' ? '' : ` ${reason}`;
  return `${agent} wants to call ${tool ?? 'a tool'} with ${shown}.${why}`;
}

/** A schema that forms can have: flat, with values that are no objects. */
function schemaOf(schema: JsonObject | null): JsonObject | undefined {
  if (schema === null) return wrapped({ type: 'string' });
  if (!isObjectSchema(schema)) return isField(schema) ? wrapped(schema) : undefined;
  const { properties, required } = schema;
  if (!isPlainObject(properties) || !Object.values(properties).every(isField)) return undefined;
  return { type: 'object', properties, ...(Array.isArray(required) && { required }) };
}

function wrapped(schema: JsonObject): JsonObject {
  return { type: 'object', properties: { value: schema }, required: ['value'] };
}

function isObjectSchema(schema: JsonObject | null): boolean {
  return schema?.['type'] === 'object';
}

/** One value, or a choice of several words. */
function isField(schema: unknown): boolean {
  if (!isPlainObject(schema)) return false;
  const { type, items } = schema;
  if (type === 'array') return isPlainObject(items) && (Array.isArray(items['enum']) || Array.isArray(items['anyOf']));
  return PRIMITIVE.has(type);
}
