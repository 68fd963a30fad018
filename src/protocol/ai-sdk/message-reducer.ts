import { isPlainObject, type Json, type JsonObject } from '../../common/index.js';
import type { Chunk, Level, UiMessage, UiPart } from './chunk.types.js';
import { partialJson } from './partial-json.js';

/** A part while it grows. */
type Part = Record<string, Json> & { type: string };

/** The chunks that change a tool part. */
type ToolChunk = Extract<Chunk, { readonly type: `tool-${string}` }>;

/** A decision about an approval: no chunk says it, because the page has made it. */
export interface ApprovalDecision {
  readonly approvalId: string;
  readonly approved: boolean;
  readonly reason?: string | undefined;
}

/** Folds the chunks of a turn into a message, as the clients of the SDK do (contract ui-message-stream, section B1). */
export class MessageReducer {
  private readonly parts: Part[] = [];
  private readonly texts = new Map<string, Part>();
  private readonly tools = new Map<string, Part>();
  /** The arguments of the calls whose input has not come whole, by the ids of the calls. */
  private readonly inputs = new Map<string, string>();
  private metadata: Json | undefined;

  /** @param level of the client whose messages these are */
  constructor(
    private readonly id: string,
    private readonly level: Level,
  ) {}

  /** Takes the chunks that follow. */
  take(chunks: readonly Chunk[]): void {
    for (const chunk of chunks) this.next(chunk);
  }

  /** Tells the part of an approval how it was decided. */
  decide({ approvalId, approved, reason }: ApprovalDecision): void {
    for (const part of this.tools.values()) {
      const approval = part['approval'];
      if (!isPlainObject(approval) || approval['id'] !== approvalId) continue;
      part['approval'] = { id: approvalId, approved, ...(reason !== undefined && { reason }) };
      // An output shows that the turn has gone on.
      if (part['state'] === 'approval-requested') part['state'] = approved ? 'approval-responded' : 'output-denied';
    }
  }

  /** The message. It has no part where nothing was said. */
  message(): UiMessage {
    for (const [id, part] of this.tools) this.setInput(id, part);
    const parts: readonly UiPart[] = this.parts;
    return { id: this.id, role: 'assistant', ...(this.metadata !== undefined && { metadata: this.metadata }), parts };
  }

  private next(chunk: Chunk): void {
    switch (chunk.type) {
      case 'start':
      case 'message-metadata':
      case 'finish':
        if (chunk.messageMetadata !== undefined) this.metadata = merged(this.metadata, chunk.messageMetadata);
        return;
      case 'start-step':
        this.parts.push({ type: 'step-start' });
        return;
      case 'reset-step':
        this.parts.splice(this.parts.findLastIndex(({ type }) => type === 'step-start') + 1);
        return;
      case 'text-start':
      case 'reasoning-start':
        this.begin(chunk.type === 'text-start' ? 'text' : 'reasoning', chunk.id);
        return;
      case 'text-delta':
      case 'reasoning-delta': {
        const part = this.texts.get(chunk.id);
        if (part) part['text'] = `${typeof part['text'] === 'string' ? part['text'] : ''}${chunk.delta}`;
        return;
      }
      case 'text-end':
      case 'reasoning-end': {
        const part = this.texts.get(chunk.id);
        if (part) part['state'] = 'done';
        return;
      }
      case 'file':
      case 'source-url':
      case 'source-document':
        this.parts.push({ ...chunk });
        return;
      case 'finish-step':
      case 'abort':
      case 'error':
        return;
      default:
        if (isToolChunk(chunk)) this.tool(chunk);
        else this.data(chunk);
    }
  }

  private begin(type: 'text' | 'reasoning', id: string): void {
    const part: Part = { type, text: '', state: 'streaming' };
    this.texts.set(id, part);
    this.parts.push(part);
  }

  private data({ type, id, data }: Extract<Chunk, { readonly data: Json }>): void {
    const known = id === undefined ? undefined : this.parts.find((part) => part.type === type && part['id'] === id);
    if (known) known['data'] = data;
    else this.parts.push({ type, ...(id !== undefined && { id }), data });
  }

  private tool(chunk: ToolChunk): void {
    const { toolCallId } = chunk;
    const known = this.tools.get(toolCallId);
    if (!known && !('toolName' in chunk)) return;
    const part = known ?? this.made(chunk as ToolChunk & { readonly toolName: string; readonly dynamic?: true });
    // Clients of level 5 do not take it from outputs of dynamic parts.
    const isTaken = this.level > 5 || chunk.type !== 'tool-output-available' || !isDynamic(part);
    if (isTaken && 'providerExecuted' in chunk && chunk.providerExecuted) part['providerExecuted'] = true;
    delete part['preliminary'];
    switch (chunk.type) {
      case 'tool-input-start':
        part['state'] = 'input-streaming';
        this.inputs.set(toolCallId, '');
        return;
      case 'tool-input-delta':
        this.inputs.set(toolCallId, (this.inputs.get(toolCallId) ?? '') + chunk.inputTextDelta);
        return;
      case 'tool-input-available':
        this.inputs.delete(toolCallId);
        Object.assign(part, { state: 'input-available', input: chunk.input });
        if (chunk.title !== undefined) part['title'] = chunk.title;
        return;
      case 'tool-input-error':
        this.inputs.delete(toolCallId);
        Object.assign(part, { state: 'output-error', errorText: chunk.errorText });
        part[isDynamic(part) ? 'input' : 'rawInput'] = chunk.input;
        return;
      case 'tool-approval-request':
        Object.assign(part, { state: 'approval-requested', approval: { id: chunk.approvalId } });
        return;
      case 'tool-output-denied':
        part['state'] = 'output-denied';
        return;
      case 'tool-output-error':
        Object.assign(part, { state: 'output-error', errorText: chunk.errorText });
        delete part['output'];
        return;
      case 'tool-output-available':
        Object.assign(part, { state: 'output-available', output: chunk.output });
        if (chunk.preliminary) part['preliminary'] = true;
        delete part['errorText'];
    }
  }

  /** What has come of the input of a call that was cut off. */
  private setInput(callId: string, part: Part): void {
    const text = this.inputs.get(callId);
    const input = text === undefined ? undefined : partialJson(text);
    if (input !== undefined) part['input'] = input;
  }

  private made({ toolCallId, toolName, dynamic }: { toolCallId: string; toolName: string; dynamic?: true }): Part {
    const part: Part = dynamic
      ? { type: 'dynamic-tool', toolName, toolCallId }
      : { type: `tool-${toolName}`, toolCallId };
    this.tools.set(toolCallId, part);
    this.parts.push(part);
    return part;
  }
}

function isToolChunk(chunk: Chunk): chunk is ToolChunk {
  return chunk.type.startsWith('tool-');
}

function isDynamic({ type }: Part): boolean {
  return type === 'dynamic-tool';
}

/** Objects are merged, everything else is replaced. */
function merged(base: Json | undefined, over: Json): Json {
  if (!isPlainObject(base) || !isPlainObject(over)) return over;
  const result: JsonObject = { ...base };
  for (const [key, value] of Object.entries(over)) result[key] = merged(result[key], value);
  return result;
}
