import type { ModelEvent } from '../../ports/model-client.js';
import { collect, failureOf, request } from '../testing/collect.js';
import { begin, end, send } from '../testing/raw-upstream.js';
import { clientFor, upstreamOfEachTest } from '../testing/upstream-client.js';

const start = upstreamOfEachTest();
const PNG = 'data:image/png;base64,iVBORw0KGgo=';
const ADDRESS = 'https://images.example/a.png';

/** The events of an answer with these chunks, without its end. */
async function eventsOf(...chunks: object[]): Promise<readonly ModelEvent[]> {
  const { url } = await start((response) => {
    begin(response);
    for (const chunk of chunks) send(response, chunk);
    end(response);
  });
  const { events } = await collect(clientFor(url), request('hi'));
  return events.slice(0, -1);
}
const delta = (fields: object, more: object = {}): object => ({ choices: [{ index: 0, delta: fields }], ...more });

describe('images in answers', () => {
  it.each<[string, object, string]>([
    ['OpenRouter', { content: '', images: [{ type: 'image_url', image_url: { url: PNG } }] }, PNG],
    ['a part', { content: [{ type: 'image_url', image_url: { url: ADDRESS } }] }, ADDRESS],
    ['a part with its address as text', { content: [{ type: 'image_url', image_url: ADDRESS }] }, ADDRESS],
    ['an image part', { content: [{ type: 'image', url: ADDRESS }] }, ADDRESS],
    ['bytes', { images: [{ b64_json: 'iVBORw0KGgo=' }] }, PNG],
  ])('%s', async (_, fields, url) => {
    expect(await eventsOf(delta(fields))).toEqual([{ type: 'image', url }]);
  });

  it('one that is repeated at the end is one, after the text that was held back', async () => {
    const images = [{ type: 'image_url', image_url: { url: PNG } }];
    expect(
      await eventsOf(delta({ content: '<th' }), delta({ images }), delta({ content: ' is it' }), delta({ images })),
    ).toEqual([
      { type: 'text-delta', text: '<th' },
      { type: 'image', url: PNG },
      { type: 'text-delta', text: ' is it' },
    ]);
  });

  it('of a server that does not stream', async () => {
    const message = { role: 'assistant', content: null, images: [{ type: 'image_url', image_url: { url: PNG } }] };
    const body = JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'stop' }] });
    const { url } = await start((response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(body),
    );
    expect((await collect(clientFor(url), request('hi'))).events[0]).toEqual({ type: 'image', url: PNG });
  });

  it('what is no address of an image is left out', async () => {
    const images = [{ image_url: { url: 'javascript:alert(1)' } }, { image_url: null }, 'x', { b64_json: '' }];
    expect(await eventsOf(delta({ content: 'No.', images }))).toEqual([{ type: 'text-delta', text: 'No.' }]);
  });
});

describe('sources in answers', () => {
  const source = { url: 'https://a.example/', title: 'A' };

  it.each<[string, object]>([
    ['OpenAI, OpenRouter', { type: 'url_citation', url_citation: { ...source, start_index: 0, end_index: 4 } }],
    ['flat', { type: 'url_citation', ...source, start_index: 0, end_index: 4 }],
  ])('annotations: %s', async (_, annotation) => {
    expect(await eventsOf(delta({ content: 'Yes.' }), delta({ annotations: [annotation] }))).toEqual([
      { type: 'text-delta', text: 'Yes.' },
      { type: 'citation', ...source, startIndex: 0, endIndex: 4 },
    ]);
  });

  it('citations with the titles of search_results, once though each chunk has them: Perplexity', async () => {
    const more = { citations: [source.url, 'https://b.example/'], search_results: [{ ...source, date: null }] };
    expect(await eventsOf(delta({ content: 'Yes' }, more), delta({ content: '[1].' }, more))).toEqual([
      { type: 'citation', ...source },
      { type: 'citation', url: 'https://b.example/' },
      { type: 'text-delta', text: 'Yes' },
      { type: 'text-delta', text: '[1].' },
    ]);
  });

  it('sources alone are no answer', async () => {
    const { url } = await start(
      (response) => (begin(response), send(response, { citations: [source.url], choices: [] }), response.end()),
    );
    const { error } = await failureOf(clientFor(url, { maxRetries: 0 }), request('hi'));
    expect(String(error)).toContain('empty answer');
  });
});
