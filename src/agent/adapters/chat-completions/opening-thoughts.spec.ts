import fc from 'fast-check';
import type { ModelEvent } from '../../ports/model-client.js';
import { assemble, collect, request } from '../testing/collect.js';
import { begin, end } from '../testing/raw-upstream.js';
import { clientFor, stateOf, upstreamOfEachTest } from '../testing/upstream-client.js';
import { type OpeningMemory, OpeningThoughts } from './opening-thoughts.js';

function read(pieces: readonly string[], opening?: OpeningMemory): { thoughts: OpeningThoughts; events: ModelEvent[] } {
  const thoughts = new OpeningThoughts(opening);
  const events: ModelEvent[] = [];
  for (const piece of pieces) thoughts.read(piece, events);
  thoughts.end(events);
  return { thoughts, events };
}

/** The thoughts and the answer in a text. */
function split(pieces: readonly string[], opening?: OpeningMemory): [reasoning: string, text: string] {
  const { reasoning, text } = assemble(read(pieces, opening).events);
  return [reasoning, text];
}

const CHANNELS =
  '<|channel|>analysis<|message|>Let me see.<|end|><|start|>assistant<|channel|>final<|message|>Forty-two.<|return|>';

const CASES: [string, string, [reasoning: string, text: string]][] = [
  ['a tag', '<think>\nHm.\n</think>\n\nForty-two.', ['Hm.', 'Forty-two.']],
  ['blanks before a tag', ' \n<thinking>Hm.</thinking> Yes', ['Hm.', 'Yes']],
  ['the tag of Gemini', '<thought>Hm.</thought>Yes', ['Hm.', 'Yes']],
  ['the tag of Bedrock', '<reasoning>Hm.</reasoning>Yes', ['Hm.', 'Yes']],
  ['the tag of MiniMax', '<mm:think>Hm.</mm:think>Yes', ['Hm.', 'Yes']],
  ['no thoughts between the tags', '<think>\n\n</think>\n\nYes', ['', 'Yes']],
  ['thoughts that speak of tags', '<think>a </b> < </thinking> c</think>Yes', ['a </b> < </thinking> c', 'Yes']],
  ['thoughts that do not end', '<think>Hm', ['Hm', '']],
  ['a second block, which is text', '<think>a</think>b<think>c</think>', ['a', 'b<think>c</think>']],
  ['a tag after text', 'Use <think> here: <think>x</think>', ['', 'Use <think> here: <think>x</think>']],
  ['another tag', '<thinker>a</thinker>', ['', '<thinker>a</thinker>']],
  ['the beginning of a tag', '<th', ['', '<th']],
  ['blanks', '  \n Hello', ['', '  \n Hello']],
  ['a closing tag alone', 'a</think>b', ['', 'a</think>b']],
  ['channels', CHANNELS, ['Let me see.', 'Forty-two.']],
  ['channels with an author', `<|start|>assistant${CHANNELS}`, ['Let me see.', 'Forty-two.']],
  ['the final channel alone', '<|channel|>final<|message|>Hi', ['', 'Hi']],
  [
    'two channels of thoughts',
    '<|channel|>analysis<|message|>a<|end|><|channel|>analysis<|message|>b<|end|><|channel|>final<|message|>c',
    ['ab', 'c'],
  ],
  [
    'a call in a channel',
    '<|channel|>commentary to=functions.x <|constrain|>json<|message|>{"a":1}<|call|>',
    ['{"a":1}', ''],
  ],
];

describe('OpeningThoughts', () => {
  it.each(CASES)('reads %s', (_, text, expected) => {
    expect(split([text])).toEqual(expected);
    expect(split([...text])).toEqual(expected);
  });

  it('the pieces do not matter', () => {
    const cuts = fc.array(fc.nat(200), { maxLength: 12 });
    fc.assert(
      fc.property(fc.constantFrom(...CASES), cuts, ([, text, expected], at) => {
        const ends = [0, ...at.filter((one) => one < text.length).sort((a, b) => a - b), text.length];
        expect(split(ends.slice(1).map((to, index) => text.slice(ends[index], to)))).toEqual(expected);
      }),
      { numRuns: 2000 },
    );
  });

  it('thoughts whose opening tag is in the prompt end with a closing tag', () => {
    const opening: OpeningMemory = { known: undefined };
    for (const known of ['thoughts', 'thoughts']) {
      expect(split(['Hm', '.\n</th', 'ink>\n\nYes </think>'], opening)).toEqual(['Hm.', 'Yes </think>']);
      expect(opening.known).toBe(known);
    }
  });

  it('an answer of such a server without any tag is text, and the next one is not held back', () => {
    const opening: OpeningMemory = { known: undefined };
    expect(split(['For', 'ty-two.'], opening)).toEqual(['', 'Forty-two.']);
    const events: ModelEvent[] = [];
    new OpeningThoughts(opening).read('At once', events);
    expect(events).toEqual([{ type: 'text-delta', text: 'At once' }]);
  });

  it('thoughts that nothing closes were the answer, unless a limit has ended them', () => {
    const opening: OpeningMemory = { known: 'thoughts' };
    expect(split(['Forty', '-two.'], opening)[1]).toBe('Forty-two.');
    expect(opening.known).toBeUndefined();
    const cut = new OpeningThoughts({ known: 'thoughts' });
    const events: ModelEvent[] = [];
    cut.read('Hm, well', events);
    cut.end(events, true);
    expect(assemble(events)).toMatchObject({ reasoning: 'Hm, well', text: '' });
  });

  it('a server that has a member for thoughts leaves no tag out', () => {
    const opening: OpeningMemory = { known: undefined };
    const thoughts = new OpeningThoughts(opening);
    const events: ModelEvent[] = [];
    thoughts.areTold();
    thoughts.read('Yes', events);
    expect([events, opening.known]).toEqual([[{ type: 'text-delta', text: 'Yes' }], 'text']);
  });

  it('the block is kept as it came', () => {
    const { thoughts } = read(['\n<think>\nHm', '.\n</think>\n\n', 'Yes']);
    expect([thoughts.thoughts, thoughts.block]).toEqual(['Hm.', '\n<think>\nHm.\n</think>\n\n']);
  });

  it('endless blanks become text', () => {
    const events: ModelEvent[] = [];
    new OpeningThoughts().read(' '.repeat(5000), events);
    expect(events).toHaveLength(1);
  });

  it('pieces of an answer with a tag of a server are told apart', async () => {
    const start = ['<th', 'ink>\n…', '</thi', 'nk>\n\nForty-two.'].map((content) => ({ content }));
    const { url } = await upstream((response) => (begin(response, ...start), end(response)));
    const { reasoning, text, finish } = await collect(clientFor(url), request('hi'));
    expect([reasoning, text]).toEqual(['…', 'Forty-two.']);
    const parts = ['<think>\n…</think>\n\n'];
    expect(finish?.replay).toEqual(stateOf(url, { reasoning: { field: 'tags', text: '…', parts } }));
  });
});

const upstream = upstreamOfEachTest();
