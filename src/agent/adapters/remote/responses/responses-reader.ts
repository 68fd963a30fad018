import { AppError, type Json, type JsonObject } from '../../../../common/index.js';
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
  textAt,
} from '../json-fields.js';
import type { SseEvent } from '../remote-connection.js';
import { bareFailure } from '../reported-errors.js';
import { protocolFailure, reportedFailure } from '../remote-failure.js';
import type { ExchangeEnd, HeaderOf, RemoteReader } from '../remote-kind.js';
import type { RemoteWriter } from '../remote-writer.js';
import { Citations } from './responses-citations.js';
import { errorText, imageOf, isWhole, reasonOf, UNNAMED, usageIn } from './responses-items.js';
import { type ResponsesItem, ResponsesItems, textOfMessage, toldItem } from './responses-places.js';
import { askFor, completeArgs, finishHosted } from './responses-tools.js';

/** The source of raw events. */
const SOURCE = 'responses';
/** Events that say nothing beyond those around them. */
const SILENT =
  /^(keepalive|response\.(in_progress|queued|created|content_part\.(added|done)|reasoning_summary_part\.done|compaction\.compacting|mcp_list_tools\.\w+|mcp_call\.\w+|\w+_call\.(in_progress|searching|interpreting|generating|completed|partial_image)))$/;

/** Reads the events of one answer of OpenAI Responses (contract responses, section A6). */
export class ResponsesReader implements RemoteReader {
  end: ExchangeEnd | undefined;
  model: string | undefined;
  position: Json = -1;
  /** True once the response came as it is, and is not over: what is stored decides. */
  isOver = false;
  private readonly items = new ResponsesItems();
  /** Items that are told whole, and that no boundary has. */
  private newlyTold: ResponsesItem[] = [];
  private readonly citations = new Citations();
  /** True if the server is another Parley. */
  private isParley = false;
  /** Items that were ended as incomplete: the answer ends with them, or goes on without them. */
  private readonly cut: [ResponsesItem, Fields][] = [];
  /** Reasoning whose next summary part begins a paragraph. */
  private readonly paragraphs = new Set<string>();
  private hasConnection = false;
  /** How much of the text that named no item the messages of the whole response have, in characters. */
  private unnamedTaken = 0;

  constructor(private readonly secrets: readonly string[]) {}

  identify(event: SseEvent, header: HeaderOf): string | undefined {
    this.isParley = header('x-run-id') !== undefined;
    const fields = fieldsOf(event);
    const id = textAt(isWhole(fields) ? fields : objectAt(fields, 'response'), 'id') ?? textAt(fields, 'response_id');
    return id === undefined || id === '' || id.length > 256 ? undefined : id;
  }

  /** Signs of life, and what servers tell of themselves, may come before the answer. */
  isPrelude(event: SseEvent): boolean {
    const type = textAt(fieldsOf(event), 'type') ?? event.name;
    return SILENT.test(type) || (type !== '' && type !== 'error' && !type.startsWith('response.'));
  }

  read(event: SseEvent, writer: RemoteWriter): void {
    if (event.data === '[DONE]') return;
    const fields = fieldsOf(event);
    if (!this.advance(numberAt(fields, 'sequence_number'))) return;
    const type = textAt(fields, 'type') ?? event.name;
    if (isWhole(fields)) {
      this.readWhole(fields, writer);
      this.isOver = !this.end;
      return;
    }
    if (type === '') this.end = bareFailure(fields, this.secrets);
    if (this.end) return;
    this.model ??= textAt(objectAt(fields, 'response'), 'model');
    const item = objectAt(fields, 'item');
    if (this.cut.length > 0) this.decideOnCut(type, item, writer);
    switch (type) {
      case 'response.output_item.added':
        return this.beginItem(this.items.begin(fields), item, writer);
      case 'response.output_item.done':
        if (this.mayBeTakenBack(item)) return void this.cut.push([this.items.finish(fields), item]);
        return this.finishItem(this.items.finish(fields), item, writer);
      case 'response.output_text.delta':
        return this.addText(fields, writer);
      case 'response.output_text.done':
        return this.completeText(fields, writer);
      case 'response.refusal.delta':
        return this.items.find(fields, 'message', true).refusal.add(pieceAt(fields, 'delta') ?? '', writer);
      case 'response.reasoning_summary_part.added':
        return this.beginParagraph(this.items.find(fields, 'reasoning', true).key, writer);
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
      case 'response.reasoning.delta':
        return this.think(this.items.find(fields, 'reasoning', true).key, pieceAt(fields, 'delta') ?? '', writer);
      case 'response.output_text.annotation.added':
        return this.citations.add(this.items.find(fields, 'message').text.key, objectAt(fields, 'annotation'), writer);
      case 'response.function_call_arguments.delta':
      case 'response.mcp_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        return writer.args(this.items.find(fields, 'call', true).key, pieceAt(fields, 'delta') ?? '');
      case 'response.function_call_arguments.done':
      case 'response.mcp_call_arguments.done':
        return completeArgs(this.items.find(fields, 'call').key, textAt(fields, 'arguments'), writer);
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed':
      case 'response.cancelled':
      case 'response.canceled':
        return this.readWhole(objectAt(fields, 'response'), writer, type.slice('response.'.length));
      case 'error':
        this.end = {
          kind: 'failed',
          error: this.errorIn('error' in fields && fields['error'] ? objectAt(fields, 'error') : fields),
        };
        return;
      default:
        if (SILENT.test(type) || type.endsWith('.done')) return;
        writer.emit({ object: 'raw', event: asObject(fields), source: SOURCE });
    }
  }

  /** Reads a whole response: what was not told yet, and its end if it is over. */
  readWhole(response: Fields, writer: RemoteWriter, event?: string): void {
    const status = textAt(response, 'status') ?? event ?? '';
    this.model ??= textAt(response, 'model');
    if (status === 'queued' || status === 'in_progress') return;
    const output = objectsAt(response, 'output');
    const items = this.items.pair(output);
    for (const [told, one] of this.cut.splice(0)) {
      if (output.some((item) => textAt(item, 'id') === told.id)) continue;
      if (status === 'completed' && items.length > 0) this.takeBack([[told, one]], writer);
      else this.finishItem(told, one, writer);
    }
    for (const [index, item] of items.entries()) this.finishItem(item, output[index] ?? {}, writer);
    const usage = usageIn(objectAt(response, 'usage'));
    if (usage) writer.usage(usage);
    this.end = this.endOf(status, response);
  }

  takeTold(): JsonObject {
    const told = { items: this.newlyTold.map(({ key }) => key), known: this.newlyTold.map(toldItem) };
    this.newlyTold = [];
    return this.isParley ? { ...told, parley: true } : told;
  }

  reconnected(): void {
    this.hasConnection = false;
  }

  restore(position: Json, told: readonly JsonObject[]): void {
    this.position = position;
    for (const { items, known, parley } of told) {
      this.isParley ||= parley === true;
      this.items.restore(Array.isArray(items) ? items : [], Array.isArray(known) ? known : []);
    }
  }

  /** False for an event that was read before. @throws RemoteFailure for one that comes too late */
  private advance(number: number | undefined): boolean {
    if (number === undefined) return true;
    const last = this.position as number;
    const isFirst = !this.hasConnection;
    this.hasConnection = true;
    if (number > last || (number === 0 && last === 0)) {
      this.position = number;
      this.isReplaying = false;
      return true;
    }
    // A connection that was made again may begin with what is known.
    if (number === last || isFirst || this.isReplaying) {
      this.isReplaying = number < last;
      return false;
    }
    throw protocolFailure('The remote agent sent its events in another order than it made them');
  }

  private isReplaying = false;

  private mayBeTakenBack(item: Fields): boolean {
    return this.isParley && textAt(item, 'status') === 'incomplete';
  }

  /** What comes behind items that were cut shows whether they stay: not if another one begins or goes on. */
  private decideOnCut(type: string, item: Fields, writer: RemoteWriter): void {
    const goesOn = type === 'response.output_item.added' || type.endsWith('.delta');
    const isDone = type === 'response.output_item.done' && textAt(item, 'status') !== 'incomplete';
    if (goesOn || isDone) this.takeBack(this.cut.splice(0), writer);
    else if (type === 'error') for (const [told, one] of this.cut.splice(0)) this.finishItem(told, one, writer);
  }

  /** Another Parley has lost a worker and goes on without the items that this one had begun. */
  private takeBack(cut: readonly (readonly [ResponsesItem, Fields])[], writer: RemoteWriter): void {
    const keys = cut.flatMap(([told]) => told.forget());
    writer.discard(new Set(keys));
    for (const key of keys) this.citations.forget(key);
  }

  private beginItem({ key, isDone }: ResponsesItem, item: Fields, writer: RemoteWriter): void {
    if (!isDone) this.begin(key, item, writer);
  }

  private begin(key: string, item: Fields, writer: RemoteWriter): void {
    const name = textAt(item, 'name') ?? 'unknown_tool';
    switch (textAt(item, 'type')) {
      case 'function_call':
      case 'custom_tool_call':
        return writer.call(key, textAt(item, 'call_id') ?? textAt(item, 'id') ?? key, name);
      case 'mcp_call':
        // An approved call was shown by the run that asked for it.
        if (textAt(item, 'approval_request_id') === undefined) writer.call(key, textAt(item, 'id') ?? key, name);
        return;
      default:
        return;
    }
  }

  /** An item is whole: what was not told of it is. */
  private finishItem(told: ResponsesItem, item: Fields, writer: RemoteWriter): void {
    if (told.isDone) return;
    told.isDone = true;
    this.newlyTold.push(told);
    const { key } = told;
    const type = textAt(item, 'type') ?? '';
    switch (type) {
      case 'message':
        return this.finishMessage(told, item, writer);
      case 'reasoning':
        return this.finishReasoning(key, item, writer);
      case 'function_call':
      case 'custom_tool_call':
        this.begin(key, item, writer);
        completeArgs(key, textAt(item, 'arguments') ?? textAt(item, 'input') ?? '{}', writer);
        return writer.end(key);
      case 'function_call_output':
      case 'custom_tool_call_output':
        return writer.output(textAt(item, 'call_id') ?? key, asText(item['output']));
      case 'mcp_call':
        return this.finishMcpCall(key, item, writer);
      case 'mcp_approval_request':
        return askFor(key, item, writer);
      case 'image_generation_call':
        if (textAt(item, 'result')) writer.image(key, imageOf(item));
        return writer.end(key);
      case 'mcp_list_tools':
      case 'compaction':
        return;
      default:
        if (type.endsWith('_call')) finishHosted(key, type.slice(0, -'_call'.length), item, writer);
        else writer.emit({ object: 'raw', event: asObject(item), source: SOURCE });
    }
  }

  private addText(fields: Fields, writer: RemoteWriter): void {
    const { key, text } = this.items.find(fields, 'message', true);
    // What names no item may be several messages.
    const index = key === UNNAMED ? undefined : numberAt(fields, 'content_index');
    text.add(pieceAt(fields, 'delta') ?? '', writer, index);
  }

  private completeText(fields: Fields, writer: RemoteWriter): void {
    const { key, isDone, text } = this.items.find(fields, 'message');
    const index = key === UNNAMED ? undefined : numberAt(fields, 'content_index');
    if (!isDone) text.complete(pieceAt(fields, 'text') ?? '', writer, index);
  }

  private finishMessage({ text, refusal }: ResponsesItem, item: Fields, writer: RemoteWriter): void {
    const parts = objectsAt(item, 'content');
    const whole = textOfMessage(item);
    const isUnnamed = !text.hasBegun && this.takesUnnamed(whole, writer);
    if (!isUnnamed) text.finish(writer, whole === '' ? undefined : whole);
    for (const part of parts.filter((one) => textAt(one, 'type') === 'output_text')) {
      for (const annotation of objectsAt(part, 'annotations'))
        this.citations.add(isUnnamed ? UNNAMED : text.key, annotation, writer);
    }
    writer.end(text.key);
    const refused = parts.map((part) => textAt(part, 'refusal') ?? '').join('');
    refusal.finish(writer, refused === '' ? undefined : refused);
    writer.end(refusal.key);
  }

  /** Whether a message has come as text that named no item. Of one that has come in part the rest is told. */
  private takesUnnamed(text: string, writer: RemoteWriter): boolean {
    const unnamed = (writer.told(UNNAMED) ?? '').slice(this.unnamedTaken);
    if (unnamed === '') return false;
    const rest = restOf(text, unnamed);
    if (rest === undefined && restOf(unnamed, text) === undefined) return false;
    if (rest) writer.text(UNNAMED, 'text', rest);
    this.unnamedTaken += text.length;
    return true;
  }

  private finishReasoning(key: string, item: Fields, writer: RemoteWriter): void {
    const parts = [...objectsAt(item, 'summary'), ...objectsAt(item, 'content')];
    const text = parts.map((part) => textAt(part, 'text') ?? '').join('\n\n');
    if (writer.told(key) === undefined && text !== '') writer.text(key, 'reasoning', text);
    const sealed = textAt(item, 'encrypted_content');
    if (sealed !== undefined && (writer.told(key) !== undefined || text !== '')) {
      writer.annotate(key, 'reasoning', { encrypted_content: sealed });
    }
    writer.end(key);
  }

  private finishMcpCall(key: string, item: Fields, writer: RemoteWriter): void {
    const failed = item['error'] !== undefined && item['error'] !== null;
    const output = failed ? errorText(item['error']) : textAt(item, 'output');
    const approval = textAt(item, 'approval_request_id');
    if (approval !== undefined && writer.approvedOutput(approval, output ?? '', failed)) return;
    const callId = textAt(item, 'id') ?? key;
    writer.call(key, callId, textAt(item, 'name') ?? 'unknown_tool');
    completeArgs(key, textAt(item, 'arguments') ?? '{}', writer);
    writer.end(key);
    if (output !== undefined) writer.output(callId, output, { isError: failed });
  }

  private beginParagraph(key: string, writer: RemoteWriter): void {
    if (writer.told(key)) this.paragraphs.add(key);
  }

  private think(key: string, delta: string, writer: RemoteWriter): void {
    const isNext = this.paragraphs.delete(key);
    writer.text(key, 'reasoning', isNext ? `\n\n${delta}` : delta);
  }

  private endOf(status: string, response: Fields): ExchangeEnd {
    switch (status) {
      case 'completed':
        return { kind: 'completed' };
      case 'incomplete':
        return { kind: 'incomplete', reason: reasonOf(textAt(objectAt(response, 'incomplete_details'), 'reason')) };
      case 'cancelled':
      case 'canceled':
        return { kind: 'failed', error: new AppError('UPSTREAM_CANCELED') };
      case 'failed':
        return { kind: 'failed', error: this.errorIn(objectAt(response, 'error')) };
      default:
        throw protocolFailure('The remote agent ended its answer with an unknown status');
    }
  }

  private errorIn(error: Fields): AppError {
    return reportedFailure(textAt(error, 'message') ?? '', textAt(error, 'code'), this.secrets);
  }
}
