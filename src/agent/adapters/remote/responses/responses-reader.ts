import { AppError, type Json, type JsonObject } from '../../../../common/index.js';
import { asObject, asText, type Fields, fieldsOf, numberAt, objectAt, objectsAt, textAt } from '../json-fields.js';
import type { SseEvent } from '../remote-connection.js';
import { bareFailure } from '../reported-errors.js';
import { protocolFailure, reportedFailure } from '../remote-failure.js';
import type { ExchangeEnd, RemoteReader } from '../remote-kind.js';
import type { RemoteWriter } from '../remote-writer.js';
import { errorText, imageOf, isWhole, keyOf, reasonOf, UNNAMED, usageIn } from './responses-items.js';

/** The source of raw events. */
const SOURCE = 'responses';
/** Events that say nothing beyond those around them. */
const SILENT =
  /^(keepalive|response\.(in_progress|queued|created|content_part\.(added|done)|reasoning_summary_part\.done|compaction\.compacting|mcp_list_tools\.\w+|mcp_call\.\w+|\w+_call\.(in_progress|searching|interpreting|generating|completed|partial_image)))$/;
/** Items whose input is one of these members. */
const INPUTS = ['action', 'queries', 'code', 'input'] as const;
/** Items whose output is one of these members. */
const OUTPUTS = ['output', 'results', 'outputs'] as const;

/** Reads the events of one answer of OpenAI Responses (contract responses, section A6). */
export class ResponsesReader implements RemoteReader {
  end: ExchangeEnd | undefined;
  model: string | undefined;
  position: Json = -1;
  /** True once the response came as it is, and is not over: what is stored decides. */
  isOver = false;
  /** The keys of items that are told whole. */
  private readonly told = new Set<string>();
  private newlyTold: string[] = [];
  /** Reasoning whose next summary part begins a paragraph. */
  private readonly paragraphs = new Set<string>();
  private hasConnection = false;
  /** How much of the text that named no item the messages of the whole response have, in characters. */
  private unnamedTaken = 0;

  constructor(private readonly secrets: readonly string[]) {}

  identify(event: SseEvent): string | undefined {
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
    const failed = type === '' ? bareFailure(fields, this.secrets) : undefined;
    if (failed) {
      this.end = failed;
      return;
    }
    this.model ??= textAt(objectAt(fields, 'response'), 'model');
    switch (type) {
      case 'response.output_item.added':
        return this.begin(keyOf(fields), objectAt(fields, 'item'), writer);
      case 'response.output_item.done':
        return this.finishItem(keyOf(fields), objectAt(fields, 'item'), writer);
      case 'response.output_text.delta':
        return writer.text(keyOf(fields), 'text', textAt(fields, 'delta') ?? '');
      case 'response.output_text.done':
        return this.complete(keyOf(fields), textAt(fields, 'text'), writer);
      case 'response.refusal.delta':
        return writer.text(`${keyOf(fields)}/refusal`, 'refusal', textAt(fields, 'delta') ?? '');
      case 'response.reasoning_summary_part.added':
        if (writer.told(keyOf(fields))) this.paragraphs.add(keyOf(fields));
        return;
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
      case 'response.reasoning.delta':
        return this.think(keyOf(fields), textAt(fields, 'delta') ?? '', writer);
      case 'response.output_text.annotation.added':
        return this.cite(keyOf(fields), objectAt(fields, 'annotation'), writer);
      case 'response.function_call_arguments.delta':
      case 'response.mcp_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        return writer.args(keyOf(fields), textAt(fields, 'delta') ?? '');
      case 'response.function_call_arguments.done':
      case 'response.mcp_call_arguments.done':
        return this.completeArgs(keyOf(fields), textAt(fields, 'arguments'), writer);
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
    objectsAt(response, 'output').forEach((item, index) => {
      if (!this.told.has(`#${index}`)) this.finishItem(`#${index}`, item, writer);
    });
    const usage = usageIn(objectAt(response, 'usage'));
    if (usage) writer.usage(usage);
    this.end = this.endOf(status, response);
  }

  takeTold(): JsonObject {
    const told = { items: this.newlyTold };
    this.newlyTold = [];
    return told;
  }

  reconnected(): void {
    this.hasConnection = false;
  }

  restore(position: Json, told: readonly JsonObject[]): void {
    this.position = position;
    for (const { items } of told) for (const key of Array.isArray(items) ? items : []) this.told.add(asText(key));
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

  private begin(key: string, item: Fields, writer: RemoteWriter): void {
    if (this.told.has(key)) return;
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
  private finishItem(key: string, item: Fields, writer: RemoteWriter): void {
    if (this.told.has(key)) return;
    this.told.add(key);
    this.newlyTold.push(key);
    const type = textAt(item, 'type') ?? '';
    switch (type) {
      case 'message':
        return this.finishMessage(key, item, writer);
      case 'reasoning':
        return this.finishReasoning(key, item, writer);
      case 'function_call':
      case 'custom_tool_call':
        this.begin(key, item, writer);
        this.completeArgs(key, textAt(item, 'arguments') ?? textAt(item, 'input') ?? '{}', writer);
        return writer.end(key);
      case 'function_call_output':
      case 'custom_tool_call_output':
        return writer.output(textAt(item, 'call_id') ?? key, asText(item['output']));
      case 'mcp_call':
        return this.finishMcpCall(key, item, writer);
      case 'mcp_approval_request':
        return this.ask(key, item, writer);
      case 'image_generation_call':
        if (textAt(item, 'result')) writer.image(key, imageOf(item));
        return writer.end(key);
      case 'mcp_list_tools':
      case 'compaction':
        return;
      default:
        if (type.endsWith('_call')) this.finishHosted(key, type.slice(0, -'_call'.length), item, writer);
        else writer.emit({ object: 'raw', event: asObject(item), source: SOURCE });
    }
  }

  private finishMessage(key: string, item: Fields, writer: RemoteWriter): void {
    const parts = objectsAt(item, 'content');
    const texts = parts.filter((part) => textAt(part, 'type') === 'output_text');
    const text = texts.map((part) => textAt(part, 'text') ?? '').join('');
    const shownAs = this.takesUnnamed(key, text, writer) ? UNNAMED : key;
    if (shownAs === key) this.complete(key, text, writer);
    for (const part of texts) {
      for (const annotation of objectsAt(part, 'annotations')) this.cite(shownAs, annotation, writer);
    }
    writer.end(key);
    const refusal = parts.map((part) => textAt(part, 'refusal') ?? '').join('');
    if (refusal !== '') this.rest(`${key}/refusal`, 'refusal', refusal, writer);
    writer.end(`${key}/refusal`);
  }

  /** Whether a message has come as text that named no item. Of one that has come in part the rest is told. */
  private takesUnnamed(key: string, text: string, writer: RemoteWriter): boolean {
    const unnamed = (writer.told(UNNAMED) ?? '').slice(this.unnamedTaken);
    if (key === UNNAMED || unnamed === '' || writer.told(key) !== undefined) return false;
    if (!unnamed.startsWith(text) && !text.startsWith(unnamed)) return false;
    if (text.length > unnamed.length) writer.text(UNNAMED, 'text', text.slice(unnamed.length));
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
    this.completeArgs(key, textAt(item, 'arguments') ?? '{}', writer);
    writer.end(key);
    if (output !== undefined) writer.output(callId, output, { isError: failed });
  }

  /** A tool of the upstream's own kind: its type is its name. */
  private finishHosted(key: string, name: string, item: Fields, writer: RemoteWriter): void {
    const callId = textAt(item, 'call_id') ?? textAt(item, 'id') ?? key;
    writer.call(key, callId, name);
    const input = Object.fromEntries(INPUTS.flatMap((one) => (item[one] === undefined ? [] : [[one, item[one]]])));
    this.completeArgs(key, JSON.stringify(input), writer);
    writer.end(key);
    const output = OUTPUTS.map((one) => item[one]).find((value) => value !== undefined && value !== null);
    const isFailed = textAt(item, 'status') === 'failed';
    writer.output(callId, output === undefined ? (textAt(item, 'status') ?? '') : asText(output), {
      isError: isFailed,
    });
  }

  private ask(key: string, item: Fields, writer: RemoteWriter): void {
    const label = textAt(item, 'server_label');
    writer.approval(textAt(item, 'id') ?? key, {
      name: textAt(item, 'name') ?? 'unknown_tool',
      arguments: textAt(item, 'arguments') ?? '{}',
      ...(label !== undefined && { label }),
    });
  }

  private think(key: string, delta: string, writer: RemoteWriter): void {
    const isNext = this.paragraphs.delete(key);
    writer.text(key, 'reasoning', isNext ? `\n\n${delta}` : delta);
  }

  private cite(key: string, annotation: Fields, writer: RemoteWriter): void {
    const url = textAt(annotation, 'url');
    if (textAt(annotation, 'type') !== 'url_citation' || url === undefined) return;
    const [startIndex, endIndex] = [numberAt(annotation, 'start_index'), numberAt(annotation, 'end_index')];
    const known = JSON.stringify([key, url, startIndex, endIndex]);
    if (this.cited.has(known)) return;
    this.cited.add(known);
    writer.cite(key, { url, title: textAt(annotation, 'title'), startIndex, endIndex });
  }

  private readonly cited = new Set<string>();

  /** The whole text of a message is known. */
  private complete(key: string, text: string | undefined, writer: RemoteWriter): void {
    if (text !== undefined) this.rest(key, 'text', text, writer);
  }

  private rest(key: string, kind: 'text' | 'refusal', text: string, writer: RemoteWriter): void {
    const told = writer.told(key) ?? '';
    if (text.length > told.length) writer.text(key, kind, text.slice(told.length));
  }

  private completeArgs(key: string, text: string | undefined, writer: RemoteWriter): void {
    const told = writer.told(key) ?? '';
    if (text !== undefined && text.length > told.length) writer.args(key, text.slice(told.length));
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
