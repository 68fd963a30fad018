import { isoTime, isPlainObject, type Json, type JsonObject, patchedIfFits } from '../../common/index.js';
import type {
  ActivityEvent,
  Content,
  CustomEvent,
  OpenInterrupt,
  StateEvent,
  SubagentEvent,
} from '../../events/index.js';
import type { Chunk } from './chunk.types.js';
import { safeForClients } from './client-json.js';

/** Names of data parts that the server gives a meaning. */
const RESERVED = new Set([
  'activity',
  'approval-request',
  'content',
  'custom',
  'file',
  'input-request',
  'state',
  'subagent',
  'ui-schema',
]);
const NAME = /^[a-z0-9-]{1,64}$/;
/** The name of the event that shows a card. */
const CARD = 'ui_schema';

/** What the protocol has no chunk for, as data parts with stable ids (contract ui-message-stream, section A4). */
export class DataParts {
  private state: Json = {};
  /** True after patches that were not shown yet. */
  private isStateChanged = false;
  private readonly activities = new Map<string, JsonObject>();
  private readonly subagents = new Map<string, JsonObject>();
  /** The inputs that the turn waits for, by the ids of their interrupts. */
  private readonly inputs = new Map<string, JsonObject>();

  /** A snapshot is shown at once; patches where the step ends. */
  takeState(event: StateEvent): Chunk[] {
    if (event.kind === 'delta') {
      this.state = patchedIfFits(this.state, event.patch);
      this.isStateChanged = true;
      return [];
    }
    this.state = event.snapshot;
    this.isStateChanged = true;
    return this.changedState();
  }

  /** The whole state, if it has changed since it was shown. */
  changedState(): Chunk[] {
    if (!this.isStateChanged) return [];
    this.isStateChanged = false;
    return [part('state', 'state', this.state)];
  }

  /** An activity as a whole. */
  activity(event: ActivityEvent): Chunk[] {
    const { id, activity_type: activityType } = event;
    const before = this.activities.get(id) ?? {};
    const content = event.kind === 'snapshot' ? event.content : (patchedIfFits(before, event.patch) as JsonObject);
    this.activities.set(id, content);
    return [part('activity', id, { activityType, content })];
  }

  /** An event of an agent; a card belongs to a message and replaces an earlier one of it. */
  custom({ name, value }: CustomEvent): Chunk[] {
    if (name === CARD && isPlainObject(value)) {
      return [
        part(
          'ui-schema',
          typeof value['messageId'] === 'string' ? value['messageId'] : name,
          value['ui_schema'] as Json,
        ),
      ];
    }
    const isOwn = NAME.test(name) && !RESERVED.has(name);
    return [part(isOwn ? name : 'custom', undefined, isOwn ? value : { name, value })];
  }

  /** The start and the end of a subagent: one part. */
  subagent(event: SubagentEvent): Chunk[] {
    const before = this.subagents.get(event.id) ?? {};
    const data: JsonObject = { ...before, status: event.status };
    if (event.status === 'started') {
      data['name'] = event.name;
      if (event.description !== undefined) data['task'] = event.description;
    }
    if (event.status === 'failed') data['error'] = event.error.message;
    this.subagents.set(event.id, data);
    return [part('subagent', event.id, data)];
  }

  /** A question to a person; nothing for one that is repeated. */
  input({ id, message, response_schema: schema, expires_at: expiresAt }: OpenInterrupt): Chunk[] {
    if (this.inputs.has(id)) return [];
    const data: JsonObject = { ...(message !== null && { message }), ...(schema && { schema }), status: 'pending' };
    if (expiresAt !== null) data['expiresAt'] = isoTime(expiresAt);
    this.inputs.set(id, data);
    return [part('input-request', id, data)];
  }

  /** What became of a question: the same part says so. Nothing for a question that the turn does not wait for. */
  settled(id: string, status: string): Chunk[] {
    const data = this.inputs.get(id);
    this.inputs.delete(id);
    return data ? [part('input-request', id, { ...data, status })] : [];
  }

  /** The value of a content of data; of a kind that its data names. */
  content(id: string, content: Content & { readonly type: 'data' }): Chunk[] {
    const data = content.data ?? {};
    const kind = data['kind'];
    const isNamed = typeof kind === 'string' && NAME.test(kind) && !RESERVED.has(kind);
    return [part(isNamed ? kind : 'content', id, data)];
  }

  /** A message of a type that only has data. */
  message(type: string, id: string, data: JsonObject): Chunk[] {
    return [part(type.replaceAll('_', '-'), id, data)];
  }
}

function part(name: string, id: string | undefined, data: Json): Chunk {
  return { type: `data-${name}`, ...(id !== undefined && { id }), data: safeForClients(data) };
}
