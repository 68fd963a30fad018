import type { Json } from '../../common/index.js';
import {
  CALL_PERMISSION,
  type Content,
  dataOf,
  isTerminalStatus,
  type Message,
  type OpenInterrupt,
} from '../../events/index.js';
import { shownOutput } from './ai-sdk-data.js';
import type { Chunk, Level } from './chunk.types.js';
import { clientJson } from './client-json.js';

/** What a call that a lost worker did not finish gets for a result. */
const DISCARDED = 'discarded';

/** A call that a client shows, or may have to show. */
interface Call {
  readonly callId: string;
  readonly name: string;
  /** True for a call of the client's tools, as far as is known. */
  readonly isClients: boolean;
  /** Keys of the input chunks: a call that may need permission says only with its output who makes it. */
  readonly keys: { readonly dynamic?: true; readonly providerExecuted?: true };
  /** The message that makes it. */
  readonly messageId: string;
  /** The arguments as JSON text, as far as they are known. */
  text: string;
  /** `streaming` until the input is whole; `held` while it is not known whether the call stands. */
  state: 'hidden' | 'streaming' | 'held' | 'open' | 'done';
  /** The requested approval. */
  approvalId?: string;
}

/** How calls are written. */
export interface CallOptions {
  readonly level: Level;
  /** True for a tool that the page has typed: its parts are no dynamic ones. */
  readonly isStatic: (name: string) => boolean;
  /** What pages show in place of the name of a tool, if it has something. */
  readonly titleOf?: (name: string) => string | undefined;
}

/** Tool calls and their outputs as parts (contract ui-message-stream, sections A4 and A5). */
export class CallParts {
  private readonly calls = new Map<string, Call>();
  /** The call of each message that makes one, once its id is known. */
  private readonly byMessage = new Map<string, Call>();
  /** The messages that make calls, by id, before the id of the call is known; and whether they are shown. */
  private readonly announced = new Map<string, { readonly message: Message; readonly isShown: boolean }>();

  constructor(private readonly options: CallOptions) {}

  /** True while the arguments of a shown call arrive. */
  get isStreaming(): boolean {
    for (const { state } of this.calls.values()) if (state === 'streaming') return true;
    return false;
  }

  /** A message that makes a call begins. @param isShown false for a call of a subagent */
  announce(message: Message, isShown: boolean): void {
    if (!this.byMessage.has(message.id)) this.announced.set(message.id, { message, isShown });
  }

  /** The chunks of a content of a call: its start, and pieces of its arguments. */
  content(messageId: string, content: Content): Chunk[] {
    const data = content.type === 'data' ? content.data : null;
    if (!data) return [];
    const { call_id: callId, name, arguments: given } = data;
    const call = this.byMessage.get(messageId);
    const chunks = call ? [] : this.begin(messageId, callId, name);
    const present = call ?? this.byMessage.get(messageId);
    if (!present || given === undefined || given === null) return chunks;
    const text = typeof given === 'string' ? given : JSON.stringify(given);
    const isPiece = content.delta === true && !isTerminalStatus(content.status);
    const piece = isPiece ? text : text.startsWith(present.text) ? text.slice(present.text.length) : '';
    present.text = isPiece ? present.text + text : text;
    if (piece !== '' && present.state === 'streaming') {
      chunks.push({ type: 'tool-input-delta', toolCallId: present.callId, inputTextDelta: piece });
    }
    return chunks;
  }

  /** The chunks of the end of a call's message. A call that was cut off is ended where the run ends. */
  close(message: Message): Chunk[] {
    const chunks = dataOf(message)
      ? this.content(message.id, { ...message.content?.[0], status: 'completed' } as Content)
      : [];
    const call = this.byMessage.get(message.id);
    this.announced.delete(message.id);
    if (!call || message.status !== 'completed') return chunks;
    if (call.isClients) {
      if (call.state === 'streaming') call.state = 'held';
      return chunks;
    }
    return call.state === 'streaming' ? [...chunks, ...this.input(call)] : chunks;
  }

  /** True for the output of a call that the client shows. */
  isShown(callId: string): boolean {
    const call = this.calls.get(callId);
    return call !== undefined && call.state !== 'hidden';
  }

  /** The chunks of the output of a call; none for a call that is not shown. */
  output(message: Message): Chunk[] {
    const data = dataOf(message) ?? {};
    const call = typeof data['call_id'] === 'string' ? this.calls.get(data['call_id']) : undefined;
    if (!call || call.state === 'hidden') return [];
    // A call of code on the server, which only looked like one of the client.
    const isOwn = call.isClients && call.state !== 'open';
    const chunks = call.state === 'open' || call.state === 'done' ? [] : this.input(call, isOwn);
    call.state = 'done';
    const { output } = data;
    const text = typeof output === 'string' ? output : JSON.stringify(output ?? '');
    const { dynamic } = call.keys;
    const isMadeHere = !call.isClients || isOwn;
    const keys = { ...(dynamic && { dynamic }), ...(isMadeHere && { providerExecuted: true as const }) };
    const toolCallId = call.callId;
    if (message.metadata?.['denied'] === true && call.approvalId !== undefined && this.options.level > 5) {
      return [...chunks, { type: 'tool-output-denied', toolCallId }];
    }
    if (message.metadata?.['is_error'] === true) {
      return [...chunks, { type: 'tool-output-error', toolCallId, errorText: text, ...keys }];
    }
    return [
      ...chunks,
      { type: 'tool-output-available', toolCallId, output: shownOutput(text, message.metadata), ...keys },
    ];
  }

  /** A result so far. */
  preliminary(callId: string, output: Json): Chunk[] {
    const call = this.calls.get(callId);
    if (call?.state !== 'open' || call.isClients || this.options.level === 5) return [];
    const { dynamic } = call.keys;
    const keys = { ...(dynamic && { dynamic }), providerExecuted: true as const };
    return [{ type: 'tool-output-available', toolCallId: callId, output, ...keys, preliminary: true }];
  }

  /** The calls of the client are final: now they are sent whole. */
  ask(callIds: readonly string[]): Chunk[] {
    return callIds.flatMap((id) => {
      const call = this.calls.get(id);
      return call && (call.state === 'held' || call.state === 'hidden') ? this.input(call) : [];
    });
  }

  /**
   * A call waits for an approval. One that is not shown yet, such as a subagent's, is shown before. Nothing follows from
   * a request that is repeated, because a page may have answered it already.
   */
  approval(item: OpenInterrupt): Chunk[] {
    const { id, call_id: callId, tool_name: name, arguments: text } = item;
    if (callId === null) return [];
    let call = this.calls.get(callId);
    if (!call) {
      call = this.made({ callId, name: name ?? '', isClients: false, messageId: '', mayAsk: true, isShown: false });
      call.text = text ?? '';
    }
    if (call.approvalId === id) return [];
    const chunks = call.state === 'open' || call.state === 'done' ? [] : this.input(call);
    call.approvalId = id;
    if (this.options.level > 5) {
      return [...chunks, { type: 'tool-approval-request', approvalId: id, toolCallId: callId }];
    }
    return [...chunks, this.question(call, 'pending')];
  }

  /** At level 5, an approval is replaced by its outcome; at other levels, by nothing. */
  settled(approvalId: string, status: string): Chunk[] {
    if (this.options.level > 5) return [];
    const call = [...this.calls.values()].find((one) => one.approvalId === approvalId);
    return call ? [this.question(call, status === 'approved' || status === 'denied' ? 'answered' : status)] : [];
  }

  /** At level 5, calls that nobody has allowed get an error, which other levels have with the decision. */
  denied(callIds: readonly string[]): Chunk[] {
    if (this.options.level > 5) return [];
    return this.fail(
      callIds.flatMap((id) => this.calls.get(id) ?? []),
      'not approved',
    );
  }

  /** The calls that have no output get an error for one, because nobody makes them any more: all but those. */
  closeAll(errorText: string, waiting: ReadonlySet<string>): Chunk[] {
    return this.fail(
      [...this.calls.values()].filter(({ callId }) => !waiting.has(callId)),
      errorText,
    );
  }

  /** A worker was lost in calls of these messages: the calls are made anew under other ids. */
  discard(messageIds: ReadonlySet<string>): Chunk[] {
    for (const id of messageIds) this.announced.delete(id);
    return this.fail(
      [...this.calls.values()].filter(({ messageId }) => messageIds.has(messageId)),
      DISCARDED,
    );
  }

  /** Forgets the calls of messages, which the client drops with their step. */
  forget(messageIds: ReadonlySet<string>): void {
    for (const call of this.calls.values()) if (messageIds.has(call.messageId)) this.calls.delete(call.callId);
    for (const id of messageIds) this.byMessage.delete(id);
  }

  private fail(calls: readonly Call[], errorText: string): Chunk[] {
    return calls.flatMap((call): Chunk[] => {
      if (call.state === 'done') return [];
      const isShown = call.state !== 'hidden';
      call.state = 'done';
      const { dynamic } = call.keys;
      const keys = { ...(dynamic && { dynamic }), ...(!call.isClients && { providerExecuted: true as const }) };
      return isShown ? [{ type: 'tool-output-error', toolCallId: call.callId, errorText, ...keys }] : [];
    });
  }

  private begin(messageId: string, callId: Json | undefined, name: Json | undefined): Chunk[] {
    const { message, isShown } = this.announced.get(messageId) ?? {};
    if (!message || typeof callId !== 'string' || typeof name !== 'string') return [];
    const isClients = message.type === 'function_call';
    const mayAsk = message.metadata?.[CALL_PERMISSION] !== undefined;
    const call = this.made({ callId, name, isClients, messageId, mayAsk, isShown: isShown === true });
    this.byMessage.set(messageId, call);
    if (call.state === 'hidden') return [];
    return [{ type: 'tool-input-start', toolCallId: callId, toolName: name, ...call.keys }];
  }

  private made(
    call: Pick<Call, 'callId' | 'name' | 'isClients' | 'messageId'> & {
      readonly mayAsk: boolean;
      readonly isShown: boolean;
    },
  ): Call {
    const { callId, name, isClients, messageId, mayAsk, isShown } = call;
    const keys = {
      ...(!isClients && !this.options.isStatic(name) && { dynamic: true as const }),
      ...(!isClients && !mayAsk && { providerExecuted: true as const }),
    };
    const state = isShown ? ('streaming' as const) : ('hidden' as const);
    const one: Call = { callId, name, isClients, keys, messageId, text: '', state };
    this.calls.set(callId, one);
    return one;
  }

  /** The whole input. @param isOwn true for a call that the server has made itself, after all */
  private input(call: Call, isOwn = false): Chunk[] {
    const { callId: toolCallId, name: toolName, text } = call;
    call.state = 'open';
    const keys = isOwn ? { ...call.keys, providerExecuted: true as const } : call.keys;
    const input = text === '' ? {} : clientJson(text);
    if (input !== undefined || this.options.level === 5) {
      const title = this.options.level > 5 ? this.options.titleOf?.(toolName) : undefined;
      const shown = { toolCallId, toolName, input: input ?? text, ...keys, ...(title !== undefined && { title }) };
      return [{ type: 'tool-input-available', ...shown }];
    }
    const errorText = 'The arguments are not valid JSON';
    return [{ type: 'tool-input-error', toolCallId, toolName, input: text, errorText, ...keys }];
  }

  private question(call: Call, status: string): Chunk {
    const { callId: toolCallId, name: toolName, text, approvalId = '' } = call;
    const input = (text === '' ? {} : clientJson(text)) ?? text;
    return { type: 'data-approval-request', id: approvalId, data: { approvalId, toolCallId, toolName, input, status } };
  }
}
