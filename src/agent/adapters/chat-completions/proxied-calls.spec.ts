import type { ModelEvent } from '../../ports/model-client.js';
import { assemble } from '../testing/collect.js';
import { ToolCallDecoder } from './tool-call-decoder.js';

const piece = (text: string, more: object = {}): object => ({ index: 0, function: { arguments: text }, ...more });
const first = (text: string): object => ({ index: 0, id: 'a', function: { name: 'look', arguments: text } });

describe('calls as proxies of other servers send them', () => {
  it.each<[string, object[], string]>([
    ['an empty object before the arguments', [first('{}'), piece('{"x":'), piece('1}')], '{"x":1}'],
    ['an empty object alone', [first('{}')], '{}'],
    ['an empty object in pieces', [first('{'), piece('}')], '{}'],
    ['a whole call that comes again at the end', [first('{"x":'), piece('1}'), first('{"x":1}')], '{"x":1}'],
  ])('%s', (_, deltas, text) => {
    const decoder = new ToolCallDecoder(['look']);
    const events: ModelEvent[] = [];
    for (const delta of deltas) decoder.read(delta, events);
    decoder.end(events);
    expect(assemble(events).calls).toEqual([{ id: 'a', name: 'look', arguments: text }]);
  });
});
