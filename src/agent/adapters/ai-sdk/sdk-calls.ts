import type { LanguageModelV3ToolCall, SharedV3ProviderMetadata } from '@ai-sdk/provider';
import { isObjectText } from '../../../common/index.js';
import type { ModelEvent } from '../../ports/model-client.js';
import { type AnsweredPart, mergedMetadata } from './sdk-replay.js';

/** A call whose last part has not come. */
interface OpenCall {
  readonly index: number;
  readonly id: string;
  readonly part: AnsweredPart;
  /** What has been streamed of its input. */
  input: string;
  /** True once its input was streamed to the end. */
  hasWholeInput: boolean;
}

/** The tool calls of one answer: what a package streams of them, and the whole ones that follow. */
export class SdkCalls {
  /** How many have begun. */
  count = 0;
  /** In the order of their beginnings. Several can have one id: some servers repeat ids, or leave them blank. */
  private readonly open: OpenCall[] = [];
  /** The input of the newest whole call with an id. */
  private readonly whole = new Map<string, string>();
  private hasBrokenInput = false;

  /** @param parts of the answer, to which those of its calls are added */
  constructor(private readonly parts: AnsweredPart[]) {}

  /** True if the arguments of every call are a whole JSON object, or none. */
  get areWhole(): boolean {
    return !this.hasBrokenInput && this.open.every(({ input }) => isWhole(input));
  }

  begin(id: string, name: string, metadata: SharedV3ProviderMetadata | undefined, events: ModelEvent[]): OpenCall {
    const part: AnsweredPart = { type: 'tool-call', text: '', metadata };
    const call: OpenCall = { index: this.count, id, part, input: '', hasWholeInput: false };
    this.count += 1;
    this.open.push(call);
    this.parts.push(part);
    events.push({ type: 'tool-call-delta', index: call.index, id, name, argumentsDelta: '' });
    return call;
  }

  /** A piece of the input of the newest call with this id whose input is being streamed. */
  addPiece(id: string, text: string, events: ModelEvent[]): void {
    const call = this.streamed(id);
    if (call) this.addInput(call, text, events);
  }

  endInput(id: string): void {
    const call = this.streamed(id);
    if (call) call.hasWholeInput = true;
  }

  /** The whole call. Its input is new as far as it was not streamed. */
  end(part: LanguageModelV3ToolCall, events: ModelEvent[]): void {
    if (part.providerExecuted || this.isRepeated(part)) return;
    const call = this.openCall(part) ?? this.begin(part.toolCallId, part.toolName, undefined, events);
    call.part.metadata = mergedMetadata(call.part.metadata, part.providerMetadata);
    if (part.input.startsWith(call.input)) this.addInput(call, part.input.slice(call.input.length), events);
    this.open.splice(this.open.indexOf(call), 1);
    this.whole.set(part.toolCallId, part.input);
    this.hasBrokenInput ||= !isWhole(call.input);
  }

  private streamed(id: string): OpenCall | undefined {
    return this.open.findLast((call) => call.id === id && !call.hasWholeInput);
  }

  private addInput(call: OpenCall, text: string, events: ModelEvent[]): void {
    if (text === '') return;
    call.input += text;
    events.push({ type: 'tool-call-delta', index: call.index, argumentsDelta: text });
  }

  /** True for a call that has come before, with the same id and input. */
  private isRepeated({ toolCallId: id, input }: LanguageModelV3ToolCall): boolean {
    return id !== '' && this.whole.get(id) === input && !this.open.some((call) => call.id === id);
  }

  /** Of several open calls with the id of a whole call, the one with its input; otherwise the first. */
  private openCall({ toolCallId, input }: LanguageModelV3ToolCall): OpenCall | undefined {
    const calls = this.open.filter(({ id }) => id === toolCallId);
    return calls.find((call) => call.input === input) ?? calls[0];
  }
}

function isWhole(input: string): boolean {
  return input.trim() === '' || input.trim() === 'null' || isObjectText(input);
}
