import type { ModelEvent } from '../../ports/model-client.js';
import { CompletionDecoder } from './completion-decoder.js';

const citation = { url: 'https://example.org/a', title: 'A page', start_index: 0, end_index: 6 };
const annotation = { type: 'url_citation', url_citation: citation };

function streamed(...deltas: readonly object[]): readonly ModelEvent[] {
  const events: ModelEvent[] = [];
  const decoder = new CompletionDecoder();
  for (const delta of deltas) decoder.decode(JSON.stringify({ choices: [{ delta }] }), '', events);
  decoder.decode(JSON.stringify({ choices: [{ delta: {}, finish_reason: 'stop' }] }), '', events);
  decoder.end(events);
  return events;
}

const citations = (events: readonly ModelEvent[]) => events.filter(({ type }) => type === 'citation');

describe('the citations of a completion', () => {
  it('are read from the pieces of a stream', () => {
    expect(citations(streamed({ content: 'Paris.' }, { annotations: [annotation] }))).toEqual([
      { type: 'citation', url: citation.url, title: citation.title, startIndex: 0, endIndex: 6 },
    ]);
  });

  it('are read beside a text, which stays whole', () => {
    const events = streamed({ content: 'Pa' }, { content: 'ris.', annotations: [annotation] }, { content: ' Yes.' });
    expect(citations(events)).toHaveLength(1);
    expect(events.flatMap((event) => (event.type === 'text-delta' ? [event.text] : [])).join('')).toBe('Paris. Yes.');
  });

  it('are read from an answer that is not streamed', () => {
    const events: ModelEvent[] = [];
    const message = { role: 'assistant', content: 'Paris.', annotations: [annotation] };
    new CompletionDecoder().decodeWhole(JSON.stringify({ choices: [{ message, finish_reason: 'stop' }] }), events);
    expect(citations(events)).toHaveLength(1);
  });

  it.each([
    [[]],
    [[null, 1, 'x']],
    [[{ type: 'file_citation', file_id: 'f' }]],
    [[{ type: 'url_citation', url_citation: { title: 'No address' } }]],
  ])('are not %j', (annotations) => {
    expect(citations(streamed({ content: 'Paris.', annotations }))).toEqual([]);
  });
});
