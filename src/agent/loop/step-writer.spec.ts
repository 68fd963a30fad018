import { citationsOf } from '../../events/index.js';
import type { ModelEvent } from '../ports/model-client.js';
import { finish, ScriptedModelClient, text } from '../testing/scripted-model-client.js';
import { loopAgent, TestRun } from '../testing/test-run.js';
import { ToolSet } from '../tools/index.js';
import { CallSegment } from './call-segment.js';

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

describe('sources of a text', () => {
  it('are its citations, each once, also those that come before it', async () => {
    const run = new TestRun();
    const source = (url: string): ModelEvent => ({ type: 'citation', url, title: `Title of ${url}` });
    const deltas = [source('https://a.example/'), text('It is '), source('https://b.example/'), text('so.')];
    await run.drive(loopAgent(new ScriptedModelClient([[...deltas, source('https://b.example/'), finish()]])));
    run.expectLegalStream();
    expect(run.messages.flatMap((message) => citationsOf(message))).toEqual([
      { url: 'https://a.example/', title: 'Title of https://a.example/', start_index: 0, end_index: 0 },
      { url: 'https://b.example/', title: 'Title of https://b.example/', start_index: 6, end_index: 6 },
    ]);
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

describe('images and sources of an answer', () => {
  const source = { url: 'https://a.example/', title: 'A' };
  const cited = (startIndex: number, endIndex: number): ModelEvent => ({
    type: 'citation',
    ...source,
    startIndex,
    endIndex,
  });
  const call = { type: 'tool-call-delta', index: 0, id: 'c1', name: 'browse', argumentsDelta: '{}' } as const;

  async function messagesOf(...deltas: ModelEvent[]): Promise<TestRun['messages']> {
    const run = new TestRun({ clientTools: [{ name: 'browse', description: '', parameters: {} }] });
    await run.drive(loopAgent(new ScriptedModelClient([[...deltas, finish()]])));
    run.expectLegalStream();
    return run.messages;
  }

  it('images are in the message of the text around them, after it', async () => {
    const image: ModelEvent = { type: 'image', url: 'https://a.example/b.png' };
    const [message, ...others] = await messagesOf(text('Here:'), image, text(' Good?'), cited(0, 5));
    expect(others).toEqual([]);
    expect(message).toMatchObject({
      content: [
        { type: 'text', text: 'Here: Good?' },
        { type: 'image', image_url: 'https://a.example/b.png' },
      ],
      metadata: { citations: [{ ...source, start_index: 0, end_index: 5 }] },
    });
    expect((await messagesOf(image)).map(({ content }) => content?.at(-1))).toMatchObject([{ type: 'image' }]);
  });

  it('sources are those of the text that they count in', async () => {
    const messages = await messagesOf(text('One.'), call, text('Two.'), cited(4, 8), cited(6, 99));
    expect(messages.map(({ metadata }) => metadata)).toEqual([
      null,
      null,
      {
        citations: [
          { ...source, start_index: 0, end_index: 4 },
          { ...source, start_index: 2, end_index: 4 },
        ],
      },
    ]);
  });

  it('sources that come before the text belong to it, and none are left of an answer without text', async () => {
    const before: ModelEvent = { type: 'citation', url: source.url };
    const [message] = await messagesOf(before, text('One.'));
    expect(message?.metadata).toEqual({
      citations: [{ url: source.url, title: source.url, start_index: 0, end_index: 0 }],
    });
    expect((await messagesOf(before, call)).map(({ metadata }) => metadata)).toEqual([null]);
  });
});
