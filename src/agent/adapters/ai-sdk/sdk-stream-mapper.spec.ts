import type { LanguageModelV3StreamPart, LanguageModelV3ToolCall } from '@ai-sdk/provider';
import type { ModelEvent } from '../../ports/model-client.js';
import { assemble, type Collected } from '../testing/collect.js';
import { SdkStreamMapper } from './sdk-stream-mapper.js';

const count = { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 };
const END: LanguageModelV3StreamPart = {
  type: 'finish',
  finishReason: { unified: 'stop', raw: 'stop' },
  usage: { inputTokens: count, outputTokens: { total: 1, text: 1, reasoning: 0 } },
};

/** The parts of a call's input as it is streamed. Written by hand: no provider that repeats ids was available. */
function streamed(id: string, ...pieces: readonly string[]): LanguageModelV3StreamPart[] {
  return [
    { type: 'tool-input-start', id, toolName: 'look' },
    ...pieces.map((delta): LanguageModelV3StreamPart => ({ type: 'tool-input-delta', id, delta })),
    { type: 'tool-input-end', id },
  ];
}

const whole = (toolCallId: string, input: string): LanguageModelV3ToolCall => ({
  type: 'tool-call',
  toolCallId,
  toolName: 'look',
  input,
});

function answer(...parts: readonly LanguageModelV3StreamPart[]): Collected {
  const events: ModelEvent[] = [];
  const mapper = new SdkStreamMapper({ provider: 'vendor', modelId: 'm-1' });
  for (const part of [...parts, END]) mapper.map(part, events);
  return assemble(events);
}

describe('the model in the stream of a provider package', () => {
  it('is the one that the provider names, once it has', () => {
    const mapper = new SdkStreamMapper({ provider: 'vendor', modelId: 'asked' });
    expect(mapper.model).toBeUndefined();
    mapper.map({ type: 'response-metadata', modelId: 'served-2026-11' }, []);
    expect(mapper.model).toBe('served-2026-11');
  });
});

describe('calls in the stream of a provider package', () => {
  const first = '{"x":1}';
  const second = '{"x":2}';

  it.each(['call_1', ''])('two whole calls with the id "%s" are two calls', (id) => {
    const { calls, finish } = answer(whole(id, first), whole(id, second));
    expect(calls.map((call) => call.arguments)).toEqual([first, second]);
    expect(finish?.reason).toBe('tool-calls');
  });

  it.each(['call_1', ''])('two streamed calls with the id "%s" are two calls', (id) => {
    const made = answer(...streamed(id, '{"x":', '1}'), whole(id, first), ...streamed(id, second), whole(id, second));
    expect(made.calls).toEqual([
      { id, name: 'look', arguments: first },
      { id, name: 'look', arguments: second },
    ]);
  });

  it('streamed calls with one id whose whole calls follow together are kept apart', () => {
    const made = answer(...streamed('a', first), ...streamed('a', second), whole('a', second), whole('a', first));
    expect(made.calls.map((call) => call.arguments)).toEqual([first, second]);
  });

  it('a call after a repeated id has its own arguments', () => {
    const made = answer(whole('a', first), whole('a', second), whole('b', '{"x":3}'));
    expect(made.calls.map((call) => call.arguments)).toEqual([first, second, '{"x":3}']);
  });

  it('the rest of an input that was streamed in part only comes with the whole call', () => {
    expect(answer(...streamed('a', '{"x":'), whole('a', first)).calls).toEqual([
      { id: 'a', name: 'look', arguments: first },
    ]);
  });

  it('a whole input that differs from the streamed one does not replace it', () => {
    const made = answer(...streamed('a', first), whole('a', '{ "x": 1 }'));
    expect(made.calls.map((call) => call.arguments)).toEqual([first]);
  });

  it.each([[streamed('a', first)], [[]]])('a whole call that is sent twice is one call', (parts) => {
    expect(answer(...parts, whole('a', first), whole('a', first)).calls).toHaveLength(1);
  });

  it('two calls without an id are two, also with equal input', () => {
    expect(answer(whole('', first), whole('', first)).calls).toHaveLength(2);
  });

  it('an answer whose only call the provider executed has no call', () => {
    const { calls, finish } = answer({ ...whole('a', first), providerExecuted: true });
    expect([calls, finish?.reason]).toEqual([[], 'stop']);
  });
});
