import type { ModelEvent } from '../ports/model-client.js';
import { finish, ScriptedModelClient, text } from '../testing/scripted-model-client.js';
import { loopAgent, TestRun } from '../testing/test-run.js';
import { CallSegment } from './call-segment.js';
import { ToolSet } from '../../tools/index.js';

/** The texts of the messages, and the pieces in which the last one arrived. */
async function written(...deltas: ModelEvent[]): Promise<{ texts: string[]; pieces: string[] }> {
  const run = new TestRun();
  await run.drive(loopAgent(new ScriptedModelClient([[...deltas, finish()]])));
  run.expectLegalStream();
  const contents = run.messages.flatMap(({ content }) => content ?? []);
  return {
    texts: contents.map((one) => ('text' in one ? one.text : 'refusal' in one ? one.refusal : '')) as string[],
    pieces: run.events.flatMap((event) =>
      event.object === 'content' && event.delta === true && 'text' in event ? [event.text as string] : [],
    ),
  };
}

describe('a character that the model server cut in halves', () => {
  it('is written whole', async () => {
    const { texts, pieces } = await written(text('a\ud83d'), text('\ude00b'), text('\ud83d'), text('\ude00'));
    expect(texts).toEqual(['a😀b😀']);
    expect(pieces).toEqual(['a', '😀b', '😀']);
  });

  it('is replaced if its other half does not come', async () => {
    expect((await written(text('a\ud83d'), text('b'))).texts).toEqual(['a\ufffdb']);
    expect((await written(text('a\ude00b'))).texts).toEqual(['a\ufffdb']);
    expect((await written(text('ab\ud83d'))).texts).toEqual(['ab\ufffd']);
  });
});

describe('the arguments of a call', () => {
  const call = (...pieces: string[]): CallSegment => {
    const segment = new CallSegment('c', new ToolSet([], []));
    for (const piece of pieces) segment.append(piece);
    return segment;
  };

  it.each(['{}', ' {"a":{"b":"}"}} ', '{"a":"\\"}{"}', '{"a":"\\\\"}'])('%s are whole in any pieces', (json) => {
    for (let size = 1; size <= json.length; size += 1) {
      const pieces = json.match(new RegExp(`[^]{1,${String(size)}}`, 'g')) ?? [];
      const last = json.trimEnd().length;
      const segment = call();
      let read = 0;
      for (const piece of pieces) {
        segment.append(piece);
        read += piece.length;
        expect(segment.isWhole).toBe(read >= last);
      }
    }
  });

  it.each(['', '{', '{"a":"}', '[]', '"{}"', '{}x', '}{'])('%s are not', (json) => {
    expect(call(...json).isWhole).toBe(false);
  });

  it('are not parsed again with each piece', () => {
    const segment = call('{"a":"');
    const parse = jest.spyOn(JSON, 'parse');
    for (let n = 0; n < 1000; n += 1) {
      segment.append('x}');
      expect(segment.isWhole).toBe(false);
    }
    expect(parse).not.toHaveBeenCalled();
    parse.mockRestore();
  });
});
