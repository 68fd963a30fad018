import type { ModelEvent, ModelRequest } from '../../ports/model-client.js';
import { request, user } from '../testing/collect.js';
import { ToolNames } from './tool-names.js';

const declared = (name: string): { name: string; description: string; parameters: { type: string } } => ({
  name,
  description: '',
  parameters: { type: 'object' },
});

const conversation = (...names: string[]): ModelRequest => {
  const calls = names.map((name, at) => ({ id: `c${at}`, name, arguments: '{}' }));
  const results = calls.map(({ id, name }) => ({ role: 'tool', callId: id, name, content: 'ok' }) as const);
  const messages = [user('Go'), { role: 'assistant', content: '', toolCalls: calls } as const, ...results];
  return Object.assign({}, request(messages, names.map(declared)), {
    options: { toolChoice: { name: names[0] ?? '' } },
  });
};

function namesIn({ tools, messages, options: { toolChoice } }: ModelRequest): unknown {
  return {
    tools: tools.map(({ name }) => name),
    calls: messages.flatMap((one) => (one.role === 'assistant' ? one.toolCalls.map(({ name }) => name) : [])),
    results: messages.flatMap((one) => (one.role === 'tool' ? [one.name] : [])),
    choice: toolChoice,
  };
}

describe('ToolNames', () => {
  it('names that every model server takes stay, and nothing is copied', () => {
    expect(ToolNames.of(conversation('get_weather', '1st', 'x'.repeat(64)))).toBeUndefined();
  });

  it('declarations, choice, calls and results get the same names, and calls come back under their own', () => {
    const names = ToolNames.of(conversation('files.read', 'files_read', 'ok'));
    const outward = names?.outward(conversation('files.read', 'files_read', 'ok'));
    const other = outward?.tools[0]?.name ?? '';
    expect(other).toMatch(/^files_read_[0-9a-f]{8}$/);
    const all = [other, 'files_read', 'ok'];
    expect(outward && namesIn(outward)).toEqual({ tools: all, calls: all, results: all, choice: { name: other } });
    const events: readonly ModelEvent[] = [
      { type: 'text-delta', text: other },
      { type: 'tool-call-delta', index: 0, name: other, argumentsDelta: '' },
      { type: 'tool-call-delta', index: 0, argumentsDelta: '{}' },
      { type: 'tool-call-delta', index: 1, name: 'files_read', argumentsDelta: '{}' },
      { type: 'tool-call-delta', index: 2, name: 'files.read', argumentsDelta: '{}' },
    ];
    const come = names?.inward(events) ?? [];
    expect(come.flatMap((event) => ('name' in event ? [event.name] : []))).toEqual([
      'files.read',
      'files_read',
      'files.read',
    ]);
    expect(come[0]).toBe(events[0]);
  });

  it('calls of tools that are no longer offered have valid names too', () => {
    const earlier = Object.assign({}, conversation('old tool', 'look'), { tools: [declared('look')], options: {} });
    const outward = ToolNames.of(earlier)?.outward(earlier);
    expect(outward && namesIn(outward)).toMatchObject({ tools: ['look'], calls: ['old_tool', 'look'] });
  });

  it('a name begins with a letter where the model server asks for it', () => {
    const rules = { startsWithLetter: true };
    const outward = ToolNames.of(conversation('1st', '-x'), rules)?.outward(conversation('1st', '-x'));
    expect(outward && namesIn(outward)).toMatchObject({ tools: ['_1st', '_-x'] });
  });
});
