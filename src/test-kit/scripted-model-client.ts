import type { ModelEvent, ModelRequest } from '../agent/index.js';
import { TestModel } from './test-model.js';

/** What one model call does, in order: yields one event or a batch, throws, hangs, or runs a hook. */
export type ScriptStep =
  | ModelEvent
  | { readonly type: 'batch'; readonly events: readonly ModelEvent[] }
  | { readonly type: 'throw'; readonly error: Error }
  | { readonly type: 'hang' }
  | { readonly type: 'do'; readonly action: () => void | Promise<void> };

/** A script per call, or a function of the request. */
export type Script =
  readonly (readonly ScriptStep[])[] | ((request: ModelRequest, call: number) => readonly ScriptStep[]);

/** A model that gives prepared answers. It ignores the abort signal, as a bad provider would. */
export class ScriptedModelClient extends TestModel {
  readonly provider = 'scripted';

  constructor(private readonly script: Script) {
    super();
  }

  async *stream(request: ModelRequest): AsyncGenerator<readonly ModelEvent[], void, void> {
    const call = this.requests.push(request) - 1;
    const steps = typeof this.script === 'function' ? this.script(request, call) : this.script[call];
    if (!steps) throw (this.missing = new Error(`No script for model call ${call}`));
    for (const step of steps) {
      if (step.type === 'throw') throw step.error;
      else if (step.type === 'do') await step.action();
      else if (step.type === 'hang') await new Promise(() => undefined);
      else yield step.type === 'batch' ? step.events : [step];
    }
  }
}

export const text = (piece: string): ModelEvent => ({ type: 'text-delta', text: piece });
export const reasoning = (piece: string): ModelEvent => ({ type: 'reasoning-delta', text: piece });
export const call = (index: number, name: string, args: string, id?: string): ModelEvent => ({
  type: 'tool-call-delta',
  index,
  name,
  argumentsDelta: args,
  ...(id !== undefined && { id }),
});
export const args = (index: number, piece: string): ModelEvent => ({
  type: 'tool-call-delta',
  index,
  argumentsDelta: piece,
});
export const finish = (reason: 'stop' | 'length' | 'tool-calls' | 'content-filter' | 'other' = 'stop'): ModelEvent => ({
  type: 'finish',
  reason,
  usage: { input_tokens: 10, output_tokens: 5 },
});
