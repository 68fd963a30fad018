import type { JsonObject } from '../../../common/index.js';
import { collect, request, user } from '../testing/collect.js';
import { begin, end } from '../testing/raw-upstream.js';
import { clientFor, stateOf, upstreamOfEachTest } from '../testing/upstream-client.js';
import { PROVIDER_STATE_KEY, providerCallOf, providerStateIn } from './provider-state.js';
import { StateCollector } from './state-collector.js';

const start = upstreamOfEachTest();

/** The replay of an answer with these deltas, and the address of its server. */
async function replayOf(...deltas: object[]): Promise<{ replay: JsonObject | undefined; url: string }> {
  const { url, close } = await start((response) => (begin(response, ...deltas), end(response)));
  const { finish } = await collect(clientFor(url), request('hi'));
  await close();
  return { replay: finish?.replay, url };
}

/** The thoughts of an answer with these deltas. */
async function reasoningOf(...deltas: object[]): Promise<string> {
  const { url } = await start((response) => (begin(response, ...deltas), end(response)));
  return (await collect(clientFor(url), request('hi'))).reasoning;
}

const text = (piece: string, more: object = {}): object => ({ type: 'reasoning.text', text: piece, index: 0, ...more });
const call = { index: 0, id: 'c1', type: 'function', function: { name: 'look', arguments: '{}' } };

describe('the state of an answer', () => {
  it.each(['reasoning_content', 'reasoning', 'reasoning_text'])('thoughts in %s keep their name', async (field) => {
    const { replay, url } = await replayOf({ [field]: 'I th' }, { [field]: 'ink.' }, { content: 'Yes' });
    expect(replay).toEqual(stateOf(url, { reasoning: { field, text: 'I think.' } }));
  });

  it('it is kept without calls too, and absent if there is nothing to keep', async () => {
    expect((await replayOf({ content: 'Yes' }, { tool_calls: [call] })).replay).toBeUndefined();
    expect((await replayOf({ reasoning: 'Hm' }, { content: 'Yes' })).replay).toBeDefined();
  });

  it.each<[string, object[], object[]]>([
    ['texts in pieces', [text('a'), text('b', { signature: 's' })], [text('ab', { signature: 's' })]],
    [
      'a signature alone',
      [text('a'), { type: 'reasoning.text', index: 0, signature: 's' }],
      [text('a', { signature: 's' })],
    ],
    ['texts of two indexes', [text('a'), text('b', { index: 1 }), text('c')], [text('ac'), text('b', { index: 1 })]],
    [
      'summaries',
      [
        { type: 'reasoning.summary', summary: 'a', index: 0 },
        { type: 'reasoning.summary', summary: 'b', index: 0, format: null },
      ],
      [{ type: 'reasoning.summary', summary: 'ab', index: 0 }],
    ],
    [
      'encrypted ones, whole',
      [
        { type: 'reasoning.encrypted', data: 'x', index: 0 },
        { type: 'reasoning.encrypted', data: 'y', index: 0 },
      ],
      [
        { type: 'reasoning.encrypted', data: 'x', index: 0 },
        { type: 'reasoning.encrypted', data: 'y', index: 0 },
      ],
    ],
    [
      'texts without an index',
      [
        { type: 'reasoning.text', text: 'a' },
        { type: 'reasoning.text', text: 'b' },
      ],
      [{ type: 'reasoning.text', text: 'ab' }],
    ],
  ])('reasoning_details are kept in order: %s', async (_, details, expected) => {
    const deltas = details.map((one) => ({ reasoning_details: [one] }));
    const { replay, url } = await replayOf(...deltas, { tool_calls: [call] });
    expect(replay).toEqual(stateOf(url, { details: expected as JsonObject[] }));
  });

  it('thinking_blocks are kept with their signatures', async () => {
    const block = (thinking: string, signature: string | null): object => ({
      thinking_blocks: [{ type: 'thinking', thinking, signature }],
    });
    const redacted = { type: 'redacted_thinking', data: 'x' };
    const { replay, url } = await replayOf(
      block('a', null),
      block('b', ''),
      block('', 's1'),
      { thinking_blocks: [redacted] },
      block('c', null),
      block('', 's2'),
    );
    const thinkingBlocks = [
      { type: 'thinking', thinking: 'ab', signature: 's1' },
      redacted,
      { type: 'thinking', thinking: 'c', signature: 's2' },
    ];
    expect(replay).toEqual(stateOf(url, { thinkingBlocks }));
  });

  it('parts of the content with thoughts are put together', async () => {
    const part = (piece: string): object => ({
      content: [{ type: 'thinking', thinking: [{ type: 'text', text: piece }] }],
    });
    const { replay, url } = await replayOf(part('a'), part('b'), { content: [{ type: 'text', text: 'Yes' }] });
    const parts = [{ type: 'thinking', thinking: [{ type: 'text', text: 'ab' }] }];
    expect(replay).toEqual(stateOf(url, { reasoning: { field: 'content-parts', text: 'ab', parts } }));
  });

  it('what a server that does not stream sends is kept as it is', async () => {
    const details = [
      { type: 'reasoning.summary', summary: 'a' },
      { type: 'reasoning.summary', summary: 'b' },
    ];
    const message = { content: 'Yes', reasoning: 'ab', reasoning_details: details };
    const { url } = await start((response) => response.writeHead(200).end(JSON.stringify({ choices: [{ message }] })));
    const { finish, reasoning } = await collect(clientFor(url), request('hi'));
    expect(reasoning).toBe('ab');
    expect(finish?.replay).toEqual(stateOf(url, { reasoning: { field: 'reasoning', text: 'ab' }, details }));
  });

  it.each<[string, object[], string]>([
    ['two fields', [{ reasoning: 'a', reasoning_content: 'a' }], 'a'],
    ['a field and details', [{ reasoning: 'a', reasoning_details: [text('a')] }], 'a'],
    ['a field and blocks', [{ reasoning_content: 'a', thinking_blocks: [{ type: 'thinking', thinking: 'a' }] }], 'a'],
    [
      'the whole text in details at the end',
      [{ reasoning: 'a' }, { reasoning: 'b' }, { reasoning_details: [text('ab')] }],
      'ab',
    ],
    ['other texts', [{ reasoning_content: 'a', reasoning: 'b' }], 'ab'],
    ['details alone', [{ reasoning_details: [text('a'), text('b')] }], 'ab'],
  ])('equal thoughts count once: %s', async (_, deltas, reasoning) => {
    expect(await reasoningOf(...deltas, { content: 'x' })).toBe(reasoning);
  });

  it('its size is limited: texts are cut, what is opaque is left out', () => {
    const collector = new StateCollector();
    collector.think('reasoning', '😀'.repeat(200_000));
    collector.addDetails([{ type: 'reasoning.encrypted', data: 'x'.repeat(2_000_000) }], false);
    const state = providerStateIn(collector.replay('h', undefined, ''));
    expect(state?.details).toBeUndefined();
    expect(state?.reasoning?.text).toHaveLength(256 * 1024);
    const odd = new StateCollector();
    odd.think('reasoning', `x${'😀'.repeat(200_000)}`);
    expect(providerStateIn(odd.replay('h', undefined, ''))?.reasoning?.text).toHaveLength(256 * 1024 - 1);
  });
});

describe('the state of a call', () => {
  const state = { origin: 'h', calls: { a: { place: 0, extra: { x: 1 } }, 1: { place: 1, extra: { y: 2 } } } };
  const calls = (...ids: string[]) => ids.map((id) => ({ id, name: 'look', arguments: '{}' }));

  it('it is found by its id, else by its place', () => {
    expect(providerCallOf(state, calls('a', 'call_1'), 0)?.extra).toEqual({ x: 1 });
    expect(providerCallOf(state, calls('a', 'call_1'), 1)?.extra).toEqual({ y: 2 });
    expect(providerCallOf(state, calls('renamed', 'call_1'), 0)?.extra).toEqual({ x: 1 });
    expect(providerCallOf(state, calls('other', 'a'), 0)).toBeUndefined();
  });

  it('signatures and reasoning_content go back with the calls of an answer', async () => {
    const signature = { google: { thought_signature: 'EjQK' } };
    const { url, seen } = await start(
      (response) => {
        begin(response, { reasoning_content: 'Hm.' }, { tool_calls: [{ ...call, extra_content: signature }] });
        end(response, 'tool_calls');
      },
      (response) => (begin(response, { content: 'Done' }), end(response)),
    );
    const { finish } = await collect(clientFor(url), request('hi'));
    const toolCalls = [{ id: 'c1', name: 'look', arguments: '{}' }];
    const replay = finish?.replay ?? {};
    expect(Object.keys(replay)).toEqual([PROVIDER_STATE_KEY]);
    await collect(clientFor(url), request([user('hi'), { role: 'assistant', content: '', toolCalls, replay }]));
    expect(seen[1]?.body['messages']).toMatchObject([
      { role: 'user' },
      { reasoning_content: 'Hm.', tool_calls: [{ id: 'c1', extra_content: signature }] },
    ]);
  });

  it('an id that an earlier call has is replaced', async () => {
    const { url } = await start((response) => (begin(response, { tool_calls: [call] }), end(response)));
    const toolCalls = [{ id: 'c1', name: 'look', arguments: '{}' }];
    const { calls: made, finish } = await collect(
      clientFor(url),
      request([user('hi'), { role: 'assistant', content: '', toolCalls }, user('again')]),
    );
    expect(made).toEqual([{ id: 'c1_2', name: 'look', arguments: '{}' }]);
    expect(finish?.replay).toEqual(stateOf(url, { calls: { c1_2: { place: 0, id: 'c1' } } }));
  });
});
