import { AppError, type Json, type JsonObject } from '../../../../common/index.js';
import { CALL_TYPES, type ContentInput, OUTPUT_TYPES } from '../../../../events/index.js';
import type { RemoteAgentConfig } from '../../../remote/remote-config.js';
import {
  asObject,
  asText,
  type Fields,
  fieldsOf,
  numberAt,
  objectAt,
  objectsAt,
  pieceAt,
  restOf,
  SNAKE_USAGE,
  textAt,
  usageAt,
} from '../json-fields.js';
import { PartedText } from '../parted-text.js';
import type { SseEvent } from '../remote-connection.js';
import { reportedFailure } from '../remote-failure.js';
import { bareFailure } from '../reported-errors.js';
import type { ExchangeEnd, RemoteReader } from '../remote-kind.js';
import type { RemoteWriter } from '../remote-writer.js';

/** The source of raw events. */
const SOURCE = 'agent-api';
/** Members of files, of which one is their address or their bytes. */
const FILE_FIELDS = ['image_url', 'video_url', 'file_url', 'file_data', 'file_id', 'data'] as const;
/** Statuses of a response that is over. */
const TERMINAL: ReadonlySet<string> = new Set(['completed', 'failed', 'canceled', 'incomplete', 'rejected']);
/** Types of messages that say nothing. */
const SILENT: ReadonlySet<string> = new Set(['heartbeat', 'mcp_list_tools']);

type TextKind = 'text' | 'reasoning' | 'refusal';

/** A message that is being told. */
interface OpenMessage {
  readonly type: string;
  readonly role: string;
  /** Its data so far, of calls and results. */
  data: Record<string, unknown>;
  /** True once its call has begun. */
  hasCall: boolean;
  /** The texts so far, by their kinds. */
  readonly texts: Map<TextKind, PartedText>;
  /** The indexes of files that were shown. */
  readonly files: Set<number>;
}

/** A content in its message. */
interface Place {
  readonly id: string;
  readonly open: OpenMessage;
  /** True for a piece, false for the content so far. */
  readonly isDelta: boolean;
  /** True if nothing follows to the content. */
  readonly isWhole: boolean;
}

/**
 * Reads the events of one response of the Agent API (contract agent-api, section a). Servers tell calls and results in
 * pieces, or again and again as they are so far; arguments that are not whole yet need not go on as they begin.
 */
export class AgentApiReader implements RemoteReader {
  end: ExchangeEnd | undefined;
  readonly model = undefined;
  /** How many events were read. */
  position = 0;
  private readonly messages = new Map<string, OpenMessage>();
  private readonly told = new Set<string>();
  /** The message that contents belong to which name none. */
  private latest = '';
  private newlyTold: string[] = [];
  /** Messages that were ended as incomplete: the response ends with them, or goes on without them. */
  private readonly cut = new Map<string, Fields>();
  /** Calls of the server's own that have no result yet. */
  private readonly awaited = new Set<string>();
  /** True while the upstream may take back what it told. */
  private isTentative = false;

  constructor(
    private readonly sessionId: string,
    private readonly clientTools: ReadonlySet<string>,
    private readonly config: Pick<RemoteAgentConfig, 'reattach' | 'secrets'>,
  ) {}

  /** Another Parley goes on with what a lost worker has told, or tells it anew: it keeps what has led to a result. */
  get isSettled(): boolean {
    return !this.isParley || !this.isTentative;
  }

  private get isParley(): boolean {
    return this.config.reattach === 'parley';
  }

  /** What later requests refer to is the session. */
  identify(): string {
    return this.sessionId;
  }

  read(event: SseEvent, writer: RemoteWriter): void {
    if (event.data === '[DONE]') return;
    const fields = fieldsOf(event);
    this.position += 1;
    if (this.cut.size > 0) this.decideOnCut(fields, writer);
    switch (textAt(fields, 'object')) {
      case 'response':
        return this.response(fields, writer);
      case 'message':
        return this.message(fields, writer);
      case 'content':
        return this.content(fields, writer);
      default:
        this.end = bareFailure(fields, this.config.secrets);
        if (!this.end) writer.emit({ object: 'raw', event: asObject(fields), source: SOURCE });
    }
  }

  takeTold(): JsonObject {
    const told = { messages: this.newlyTold };
    this.newlyTold = [];
    return told;
  }

  /** It goes on behind the events that were read. */
  reconnected(): void {
    return;
  }

  restore(position: Json, told: readonly JsonObject[]): void {
    this.position = typeof position === 'number' ? position : 0;
    for (const { messages } of told)
      for (const id of Array.isArray(messages) ? messages : []) this.told.add(asText(id));
  }

  private response(response: Fields, writer: RemoteWriter): void {
    const status = textAt(response, 'status') ?? '';
    if (!TERMINAL.has(status)) return;
    const output = objectsAt(response, 'output');
    for (const message of output) this.message(message, writer, true);
    if (this.isParley && (status === 'completed' || status === 'incomplete') && Array.isArray(response['output'])) {
      const kept = new Set(output.map((message) => textAt(message, 'id')));
      this.discard(
        this.newlyTold.filter((id) => !kept.has(id)),
        writer,
      );
    }
    const usage = usageAt(objectAt(response, 'usage'), SNAKE_USAGE);
    if (usage) writer.usage(usage);
    if (status === 'completed') this.end = { kind: 'completed' };
    else if (status === 'incomplete') {
      this.end = { kind: 'incomplete', reason: textAt(objectAt(response, 'error'), 'code') ?? 'max_output_tokens' };
    } else if (status === 'canceled') this.end = { kind: 'failed', error: new AppError('UPSTREAM_CANCELED') };
    else this.end = this.failed(objectAt(response, 'error'));
  }

  private failed(error: Fields): ExchangeEnd {
    return {
      kind: 'failed',
      error: reportedFailure(textAt(error, 'message') ?? '', textAt(error, 'code'), this.config.secrets),
    };
  }

  /** The beginning or the end of a message. @param isWhole its contents are all there */
  private message(fields: Fields, writer: RemoteWriter, isWhole = false): void {
    const id = textAt(fields, 'id') ?? '';
    if (this.told.has(id) || SILENT.has(textAt(fields, 'type') ?? 'message')) return;
    const open = this.opened(id, fields);
    this.latest = id;
    if (!OUTPUT_TYPES.some((one) => one === open.type)) this.isTentative = true;
    const status = textAt(fields, 'status') ?? '';
    if (!isWhole && (status === 'created' || status === 'in_progress')) return;
    if (!isWhole && status === 'incomplete' && this.isParley) return void this.cut.set(id, fields);
    this.finish(id, open, fields, writer);
  }

  /** A message is whole: its contents are all there. */
  private finish(id: string, open: OpenMessage, fields: Fields, writer: RemoteWriter): void {
    for (const [index, content] of objectsAt(fields, 'content').entries())
      this.take(
        { id, open, isDelta: false, isWhole: true },
        { ...content, index: numberAt(content, 'index') ?? index },
        writer,
      );
    this.close(id, open, fields, writer);
  }

  /** What comes behind messages that were cut shows whether they stay: not if another one begins. */
  private decideOnCut(next: Fields, writer: RemoteWriter): void {
    const [object, status] = [textAt(next, 'object'), textAt(next, 'status') ?? ''];
    const goesOn = object === 'message' && (status === 'created' || status === 'in_progress');
    const isEnd = object === 'response' ? TERMINAL.has(status) : object === undefined;
    if (!goesOn && !isEnd) return;
    const cut = [...this.cut];
    this.cut.clear();
    if (goesOn) {
      this.discard(
        cut.map(([id]) => id),
        writer,
      );
    } else for (const [id, fields] of cut) this.finish(id, this.opened(id, fields), fields, writer);
  }

  /** The upstream has lost a worker and goes on without messages that this one had not finished. */
  private discard(ids: readonly string[], writer: RemoteWriter): void {
    const names = ids.flatMap((id) => {
      const { texts, data } = this.messages.get(id) ?? { texts: new Map<TextKind, PartedText>(), data: {} };
      this.messages.delete(id);
      this.told.delete(id);
      this.awaited.delete(textAt(data, 'call_id') ?? id);
      return [id, `call:${id}`, `approval:${textAt(data, 'id') ?? id}`, ...[...texts.values()].map(({ key }) => key)];
    });
    writer.discard(new Set(names));
    const gone = new Set(ids);
    this.newlyTold = this.newlyTold.filter((id) => !gone.has(id));
  }

  private content(content: Fields, writer: RemoteWriter): void {
    const id = textAt(content, 'msg_id') ?? this.latest;
    if (this.told.has(id)) return;
    const isDelta = content['delta'] === true;
    const isWhole = !isDelta && textAt(content, 'status') === 'completed';
    this.take({ id, open: this.opened(id, {}), isDelta, isWhole }, content, writer);
  }

  private opened(id: string, fields: Fields): OpenMessage {
    const known = this.messages.get(id);
    if (known) return known;
    const open: OpenMessage = {
      type: textAt(fields, 'type') ?? 'message',
      role: textAt(fields, 'role') ?? 'assistant',
      data: {},
      hasCall: false,
      texts: new Map(),
      files: new Set(),
    };
    this.messages.set(id, open);
    return open;
  }

  /** A content, as a piece or as it is so far. */
  private take(place: Place, content: Fields, writer: RemoteWriter): void {
    const { open, isDelta, isWhole } = place;
    switch (textAt(content, 'type')) {
      case 'text':
        if (open.role === 'assistant')
          this.text(place, open.type === 'reasoning' ? 'reasoning' : 'text', content, writer);
        return;
      case 'refusal':
        return this.text(place, 'refusal', content, writer);
      case 'data':
        this.merge(open, objectAt(content, 'data'), isDelta);
        if (CALL_TYPES.some((type) => type === open.type)) this.call(place, isDelta || isWhole, writer);
        return;
      case 'image':
      case 'file':
      case 'audio':
      case 'video':
        return this.file(place, content, writer);
      default:
    }
  }

  private text({ id, open, isDelta }: Place, kind: TextKind, content: Fields, writer: RemoteWriter): void {
    const piece = pieceAt(content, kind === 'refusal' ? 'refusal' : 'text') ?? '';
    const text = open.texts.get(kind) ?? new PartedText(kind === 'refusal' ? `${id}/refusal` : id, kind);
    open.texts.set(kind, text);
    const index = numberAt(content, 'index') ?? 0;
    if (isDelta) text.add(piece, writer, index);
    else text.replace(piece, writer, index);
  }

  /** Pieces of texts are appended. */
  private merge(open: OpenMessage, data: Fields, isDelta: boolean): void {
    for (const [name, value] of Object.entries(data)) {
      const before = open.data[name];
      const isText = isDelta && (name === 'arguments' || name === 'output');
      open.data[name] = isText && typeof before === 'string' && typeof value === 'string' ? before + value : value;
    }
  }

  /** @param isSure the arguments so far are the beginning of the whole ones */
  private call({ id, open }: Pick<Place, 'id' | 'open'>, isSure: boolean, writer: RemoteWriter): void {
    const name = textAt(open.data, 'name');
    if (!open.hasCall && name === undefined) return;
    open.hasCall = true;
    const key = `call:${id}`;
    const isServers = open.type !== 'function_call' || !this.clientTools.has(name ?? '');
    if (isServers) this.awaited.add(textAt(open.data, 'call_id') ?? id);
    writer.call(
      key,
      textAt(open.data, 'call_id') ?? id,
      name ?? 'unknown_tool',
      isServers && open.data['permission'] === 'needed',
    );
    if (!isSure) return;
    const given = pieceAt(open.data, 'arguments');
    const text = given ?? asText(open.data['arguments']);
    const rest = restOf(text, writer.told(key) ?? '');
    if (rest) writer.args(key, rest);
  }

  /** A file is shown once, when its address or its bytes are there. */
  private file({ id, open }: Place, content: Fields, writer: RemoteWriter): void {
    const { object: _, status: _s, index: _i, msg_id: _m, error: _e, delta: _d, ...rest } = content;
    const index = numberAt(content, 'index') ?? 0;
    const isThere = FILE_FIELDS.some((name) => textAt(content, name));
    if (open.role !== 'assistant' || !isThere || open.files.has(index)) return;
    open.files.add(index);
    writer.contents([rest as unknown as ContentInput], id);
  }

  private close(id: string, open: OpenMessage, fields: Fields, writer: RemoteWriter): void {
    this.told.add(id);
    this.newlyTold.push(id);
    const { type, data } = open;
    // What was told again and again is whole now.
    if (open.hasCall) this.call({ id, open }, true, writer);
    if (OUTPUT_TYPES.some((one) => one === type)) {
      const isError = objectAt(fields, 'metadata')['is_error'] === true;
      writer.output(textAt(data, 'call_id') ?? '', asText(data['output']), {
        isError,
        name: textAt(data, 'name') ?? 'unknown_tool',
        owner: id,
      });
      this.awaited.delete(textAt(data, 'call_id') ?? '');
      this.isTentative = this.awaited.size > 0;
    } else if (type === 'mcp_approval_request') {
      const label = textAt(data, 'server_label');
      const callId = textAt(objectAt(fields, 'metadata'), 'call_id');
      writer.approval(textAt(data, 'id') ?? id, {
        name: textAt(data, 'name') ?? 'unknown_tool',
        arguments: textAt(data, 'arguments') ?? '{}',
        ...(label !== undefined && { label }),
        ...(callId !== undefined && { callId }),
      });
    }
    for (const text of open.texts.values()) {
      text.finish(writer);
      writer.end(text.key);
    }
    writer.end(`call:${id}`);
  }
}
