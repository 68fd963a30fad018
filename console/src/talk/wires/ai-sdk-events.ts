import type { UIMessageChunk } from 'ai';
import { isObject } from '../../lib/format.js';
import type { LiveRun } from '../live-run.js';

/** Turns the chunks of a UI message stream into entries of the conversation. */
export class UiMessageReader {
  /** The calls that this page may have to make, by id. */
  private readonly calls = new Map<string, { readonly name: string; args: string; isOpen: boolean }>();
  private frames = 0;

  constructor(private readonly run: LiveRun) {}

  read(chunk: UIMessageChunk): void {
    this.run.received();
    this.frames += 1;
    this.run.cursor = this.frames;
    const { transcript, id: run } = this.run;
    switch (chunk.type) {
      case 'start':
        return this.run.started(runIn(chunk.messageMetadata));
      case 'text-start':
      case 'reasoning-start': {
        const kind = chunk.type === 'text-start' ? 'text' : 'reasoning';
        return transcript.put({ kind, id: chunk.id, text: '', done: false, run });
      }
      case 'text-delta':
        return transcript.change(chunk.id, 'text', (entry) => ({ text: entry.text + chunk.delta }));
      case 'reasoning-delta':
        return transcript.change(chunk.id, 'reasoning', (entry) => ({ text: entry.text + chunk.delta }));
      case 'text-end':
        return transcript.change(chunk.id, 'text', () => ({ done: true }));
      case 'reasoning-end':
        return transcript.change(chunk.id, 'reasoning', () => ({ done: true }));
      case 'file':
        return transcript.put({ kind: 'image', id: `${chunk.url}#${this.frames}`, url: chunk.url, run });
      case 'tool-input-start':
        return this.begin(chunk.toolCallId, chunk.toolName);
      case 'finish':
        return this.finished(chunk.finishReason);
      case 'abort':
        return this.run.finished('cancelled');
      case 'error':
        this.run.say('error', chunk.errorText);
        return this.run.finished('failed');
      default:
        if (chunk.type === 'data-ui-schema') return this.card(chunk);
        return this.call(chunk);
    }
  }

  private begin(id: string, name: string): void {
    this.calls.set(id, { name, args: '', isOpen: false });
    this.run.transcript.put({ kind: 'call', id, name, args: '', done: false, run: this.run.id });
  }

  private call(chunk: UIMessageChunk): void {
    const { transcript } = this.run;
    switch (chunk.type) {
      case 'tool-input-delta': {
        const call = this.calls.get(chunk.toolCallId);
        if (call) call.args += chunk.inputTextDelta;
        return transcript.change(chunk.toolCallId, 'call', (entry) => ({ args: entry.args + chunk.inputTextDelta }));
      }
      case 'tool-input-available': {
        const call = this.calls.get(chunk.toolCallId);
        if (!call) this.begin(chunk.toolCallId, chunk.toolName);
        else if (chunk.dynamic !== true && chunk.providerExecuted !== true) call.isOpen = true;
        return transcript.change(chunk.toolCallId, 'call', () => ({ done: true }));
      }
      case 'tool-output-available':
        return this.result(chunk.toolCallId, chunk.output);
      case 'tool-output-error':
        return this.result(chunk.toolCallId, chunk.errorText);
      case 'tool-output-denied':
        return this.result(chunk.toolCallId, 'denied');
      default:
        return;
    }
  }

  private result(id: string, output: unknown): void {
    this.calls.delete(id);
    const result = typeof output === 'string' ? output : JSON.stringify(output);
    this.run.transcript.change(id, 'call', () => ({ result, done: true }));
  }

  private card(chunk: Extract<UIMessageChunk, { type: `data-${string}` }>): void {
    if (!isObject(chunk.data)) return;
    const id = `${chunk.id ?? this.frames}#card`;
    this.run.transcript.put({ kind: 'card', id, card: chunk.data, run: this.run.id });
  }

  private finished(reason: string | undefined): void {
    if (reason === 'length' || reason === 'content-filter') this.run.say('warning', `The answer was cut: ${reason}.`);
    this.run.pending = [...this.calls].flatMap(([callId, { name, args, isOpen }]) =>
      isOpen ? [{ callId, name, args }] : [],
    );
    this.run.finished(reason === 'tool-calls' ? 'interrupted' : 'completed');
  }
}

/** The run that the metadata of a message names. */
function runIn(metadata: unknown): string | undefined {
  const parley = isObject(metadata) ? metadata['parley'] : undefined;
  const id = isObject(parley) ? parley['runId'] : undefined;
  return typeof id === 'string' ? id : undefined;
}
