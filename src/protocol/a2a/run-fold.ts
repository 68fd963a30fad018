import type { Json, JsonObject } from '../../common/index.js';
import {
  type AgentResponse,
  CALL_TYPES,
  type Content,
  type CustomEvent,
  dataOf,
  discardedMessageIds,
  type InterruptEvent,
  isTerminalStatus,
  type LoggedEvent,
  type Message,
  OUTPUT_TYPES,
  RUN_RECOVERED,
  SUBAGENT_ID,
  textOf,
} from '../../events/index.js';
import { contentParts } from './content-parts.js';
import { EXTENSIONS, type Part, type TaskIds, type TaskUpdate } from './a2a.types.js';
import { failedStatus, type Question, questionOf, usageMetadata } from './status-messages.js';

/** How a run is shown. */
export interface RunFoldOptions {
  readonly run: TaskIds & { readonly runId: string };
  /** Whether approvals are decided elsewhere (`A2A_APPROVALS`). */
  readonly isOutOfBand: boolean;
  /** Whether the client has asked for progress (contract a2a, section 9.6). */
  readonly hasProgress: boolean;
  /** With addresses that whoever reads may use. */
  readonly shown: (content: Content) => Content;
}

/** A message of the log that is not closed. */
interface OpenMessage {
  /** False: tools, reasoning, and what subagents say stay inside. */
  readonly isAnswer: boolean;
  /** What is shown of each content, by its index: pieces of a text, or parts. */
  readonly shown: Map<number, Part[]>;
}

const NONE: readonly TaskUpdate[] = [];

/**
 * The log of one run as updates of its task (contract a2a, section 7.2). The same log gives the same updates, whoever
 * reads it.
 */
export class RunFold {
  private readonly open = new Map<string, OpenMessage>();
  /** The artifacts that have begun. */
  private readonly begun = new Set<string>();
  /** The calls of tools, by their ids. */
  private readonly calls = new Map<string, JsonObject>();
  private isInterrupted = false;
  private hasStarted = false;

  constructor(private readonly options: RunFoldOptions) {}

  /** The updates of the next event: mostly one or none. */
  next(logged: LoggedEvent): readonly TaskUpdate[] {
    const { event } = logged;
    switch (event.object) {
      case 'content':
        return this.content(event);
      case 'message':
        return this.message(event, logged.at);
      case 'response':
        return this.response(event, logged.at);
      case 'interrupt':
        return [this.interrupt(event, logged.at)];
      case 'custom':
        return this.custom(event);
      case 'state':
      case 'step':
      case 'activity':
      case 'raw':
      case 'subagent':
        return NONE;
    }
  }

  private response(event: AgentResponse, at: number): readonly TaskUpdate[] {
    if (!isTerminalStatus(event.status)) {
      if (event.status !== 'in_progress' || this.hasStarted) return NONE;
      this.hasStarted = true;
      return [{ kind: 'status', status: { state: 'working', at } }];
    }
    return [...this.closeAll(event), ...this.ended(event, at)];
  }

  private ended(event: AgentResponse, at: number): readonly TaskUpdate[] {
    const { status, usage, error } = event;
    const progress = this.options.hasProgress && usage ? [this.progress(at, usageMetadata(usage))] : NONE;
    if (this.isInterrupted) return progress;
    if (status === 'canceled') return [...progress, { kind: 'status', status: { state: 'canceled', at }, usage }];
    if (status === 'completed') return [...progress, { kind: 'status', status: { state: 'completed', at }, usage }];
    if (status === 'incomplete') {
      const metadata = { incomplete: error?.code ?? 'unknown' };
      return [...progress, { kind: 'status', status: { state: 'completed', at }, metadata, usage }];
    }
    const isRejected = error?.code === 'REJECTED' && this.begun.size === 0;
    return [...progress, { ...failedStatus(this.options.run, error, { at, isRejected }), usage }];
  }

  private interrupt(event: InterruptEvent, at: number): TaskUpdate {
    this.isInterrupted = true;
    const calls = event.call_ids.map((callId): Question => {
      const { name, arguments: args } = this.calls.get(callId) ?? {};
      return { type: 'client_tool_call', id: callId, callId, tool: name, arguments: args };
    });
    return { kind: 'status', status: questionOf(this.options.run, event, calls, { at, ...this.options }) };
  }

  private message(event: Message, at: number): readonly TaskUpdate[] {
    const { id, status, type } = event;
    const isClosed = status !== 'created' && status !== 'in_progress' && status !== 'queued';
    const known = this.open.get(id);
    const isInner = typeof event.metadata?.[SUBAGENT_ID] === 'string';
    const isAnswer = known?.isAnswer ?? (type === 'message' && event.role !== 'user' && !isInner);
    const message = known ?? { isAnswer, shown: new Map<number, Part[]>() };
    if (!isClosed) {
      this.open.set(id, message);
      return NONE;
    }
    this.open.delete(id);
    return isAnswer ? this.close(id, message, event.content ?? []) : this.inner(event, at, isInner);
  }

  /** The end of an answer: what is not shown of it, and that nothing follows. */
  private close(id: string, message: OpenMessage, contents: readonly Content[]): readonly TaskUpdate[] {
    const updates = contents.flatMap((content, index) => this.part(id, message, content, index));
    if (!this.begun.has(id)) return updates;
    const artifact = { artifactId: id, parts: [{ text: '' }] };
    return [...updates, { kind: 'artifact', artifact, append: true, lastChunk: true }];
  }

  /** The ends of answers that the end of the run has left open. */
  private closeAll(response: AgentResponse): readonly TaskUpdate[] {
    const updates: TaskUpdate[] = [];
    for (const [id, message] of this.open) {
      const last = response.output?.find((one) => one.id === id);
      if (message.isAnswer) updates.push(...this.close(id, message, last?.content ?? []));
    }
    this.open.clear();
    return updates;
  }

  private content(event: Content): readonly TaskUpdate[] {
    const message = this.open.get(event.msg_id ?? '');
    return message?.isAnswer ? this.part(event.msg_id ?? '', message, event) : NONE;
  }

  /** A content of an answer: each delta of a text, everything else once it is whole. */
  private part(id: string, message: OpenMessage, content: Content, at = content.index ?? 0): readonly TaskUpdate[] {
    const text = content.type === 'text' ? content.text : content.type === 'refusal' ? content.refusal : undefined;
    if (text !== undefined)
      return this.text(id, message, { index: at, text: text ?? '', isPiece: content.delta === true });
    const isOpen = content.delta === true || content.status === 'in_progress' || content.status === 'created';
    if (isOpen || message.shown.has(at)) return NONE;
    const parts = contentParts(this.options.shown(content));
    message.shown.set(at, [...parts]);
    return this.chunks(id, parts);
  }

  /** A piece of a text, or the whole text: what was shown is not shown again, unless it was replaced. */
  private text(
    id: string,
    { shown }: OpenMessage,
    { index, text, isPiece }: { readonly index: number; readonly text: string; readonly isPiece: boolean },
  ): readonly TaskUpdate[] {
    const before = shown.get(index) ?? [];
    if (isPiece || before.length === 0) {
      if (text === '') return NONE;
      before.push({ text });
      shown.set(index, before);
      return this.chunks(id, [{ text }]);
    }
    if (before.map((part) => ('text' in part ? part.text : '')).join('') === text) return NONE;
    shown.set(index, [{ text }]);
    const parts = [...shown].sort(([a], [b]) => a - b).flatMap(([, all]) => all);
    const kept = parts.filter((part) => !('text' in part) || part.text !== '');
    // All of the answer anew, in place of what was shown.
    this.begun.delete(id);
    return this.chunks(id, kept.length > 0 ? kept : [{ text: '' }]);
  }

  private chunks(id: string, parts: readonly Part[]): readonly TaskUpdate[] {
    return parts.flatMap(splitPart).map((part): TaskUpdate => {
      const append = this.begun.has(id);
      this.begun.add(id);
      const artifact = { artifactId: id, ...(!append && { name: 'answer' }), parts: [part] };
      return { kind: 'artifact', artifact, append, lastChunk: false };
    });
  }

  /** What stays inside, unless the client has asked for progress. */
  private inner(event: Message, at: number, isOfSubagent: boolean): readonly TaskUpdate[] {
    const data = dataOf(event);
    const callId = data?.['call_id'];
    if (CALL_TYPES.includes(event.type) && typeof callId === 'string') {
      const args = parsedJson(data?.['arguments']);
      this.calls.set(callId, { name: data?.['name'] ?? null, arguments: args });
      if (!this.options.hasProgress || isOfSubagent) return NONE;
      return [this.progress(at, { type: 'tool_call', callId, tool: data?.['name'] ?? null, arguments: args })];
    }
    if (!this.options.hasProgress || isOfSubagent) return NONE;
    if (OUTPUT_TYPES.includes(event.type) && typeof callId === 'string') {
      const isError = event.metadata?.['is_error'] === true;
      const output = parsedJson(data?.['output']);
      return [this.progress(at, { type: 'tool_output', callId, output, ...(isError && { isError }) })];
    }
    const text = event.type === 'reasoning' ? textOf(event) : '';
    return text === '' ? NONE : [this.progress(at, { type: 'reasoning', text })];
  }

  private progress(at: number, value: JsonObject): TaskUpdate {
    const metadata = { [EXTENSIONS.progress]: value };
    return { kind: 'status', status: { state: 'working', at }, metadata, isProgress: true };
  }

  /** Of messages that a lost worker has left behind, the beginnings are taken back. */
  private custom(event: CustomEvent): readonly TaskUpdate[] {
    if (event.name !== RUN_RECOVERED) return NONE;
    return discardedMessageIds(event).flatMap((id): readonly TaskUpdate[] => {
      this.open.delete(id);
      if (!this.begun.delete(id)) return NONE;
      const artifact = { artifactId: id, parts: [{ text: '' }] };
      return [{ kind: 'artifact', artifact, append: false, lastChunk: true, metadata: { discarded: true } }];
    });
  }
}

/** Characters of one text part: a frame holds 4 MiB at most, and a character may take six bytes in it. */
const LONGEST_TEXT = 512 * 1024;

/** A text that fits into no frame as several; never within a pair of surrogates. */
function splitPart(part: Part): readonly Part[] {
  if (!('text' in part) || part.text.length <= LONGEST_TEXT) return [part];
  const pieces: Part[] = [];
  for (let at = 0; at < part.text.length;) {
    let end = Math.min(at + LONGEST_TEXT, part.text.length);
    const isBetweenSurrogates = end < part.text.length && /[\ud800-\udbff]/.test(part.text.charAt(end - 1));
    if (isBetweenSurrogates) end -= 1;
    pieces.push({ ...part, text: part.text.slice(at, end) });
    at = end;
  }
  return pieces;
}

/** JSON text as its value; anything else as it is. */
function parsedJson(value: Json | undefined): Json {
  if (typeof value !== 'string') return value ?? null;
  try {
    return JSON.parse(value) as Json;
  } catch {
    return value;
  }
}
