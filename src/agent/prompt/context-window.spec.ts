import fc from 'fast-check';
import type { Message } from '../../events/index.js';
import { dataMessage, testMessage, textContent, userMessage } from '../testing/test-run.js';
import { fitHistory } from './context-window.js';
import { estimateMessageTokens, estimateTextTokens, MEDIA_TOKENS } from './token-estimate.js';
import { callsOf, outputsOf } from './tool-traffic.js';

const answer = (words: string): Message => testMessage({ content: [textContent(words)] });
const makes = (id: string): Message => dataMessage('function_call', { call_id: id, name: 'x', arguments: '{}' });
const gives = (id: string): Message => dataMessage('function_call_output', { call_id: id, output: 'y' }, 'tool');
const cost = (messages: readonly Message[]): number =>
  messages.reduce((sum, one) => sum + estimateMessageTokens(one), 0);

describe('the token estimate', () => {
  it('four Latin characters or one CJK character count as a token, and media a fixed number', () => {
    expect(estimateTextTokens('abcdefgh')).toBe(2);
    expect(estimateTextTokens('你好世界')).toBe(4);
    expect(estimateTextTokens('')).toBe(0);
    const image = {
      object: 'content',
      type: 'image',
      status: null,
      index: 0,
      delta: false,
      msg_id: null,
      image_url: 'x'.repeat(9999),
    } as const;
    expect(estimateMessageTokens(testMessage({ content: [image] }))).toBe(MEDIA_TOKENS + 4);
  });
});

describe('fitHistory', () => {
  const history = [userMessage('one'), answer('1'), userMessage('two'), answer('2')];

  it('everything that fits is kept, and the oldest complete turns are dropped first', () => {
    const input = [userMessage('three')];
    expect(fitHistory(history, input, 1000)).toEqual(history);
    expect(fitHistory(history, input, cost(input) + cost(history) - 1)).toEqual(history.slice(2));
    expect(fitHistory(history, input, 0)).toEqual([]);
  });

  it('the turn of a call that the input answers is kept in any case', () => {
    const waiting = [...history, userMessage('open it'), makes('c0')];
    expect(fitHistory(waiting, [gives('c0')], 0)).toEqual(waiting.slice(4));
  });

  it('calls keep their outputs, the end of the history is kept, and it fits unless a call prevents it', () => {
    const ids = fc.constantFrom('a', 'b');
    const message = fc.oneof(
      fc.string({ maxLength: 40 }).map((words) => userMessage(words)),
      fc.string({ maxLength: 40 }).map(answer),
      ids.map(makes),
      ids.map(gives),
    );
    fc.assert(
      fc.property(
        fc.array(message, { maxLength: 20 }),
        fc.array(message, { maxLength: 3 }),
        fc.nat(200),
        (past, input, budget) => {
          const kept = fitHistory(past, input, budget);
          const start = past.length - kept.length;
          expect(past.slice(start)).toEqual(kept);
          expect(parted([...past, ...input], start)).toBe(false);
          if (cost(kept) + cost(input) <= budget) return;
          for (let later = start + 1; later <= past.length; later += 1) {
            const isPlace = later === past.length || (past[later]?.role === 'user' && past[later]?.type === 'message');
            if (isPlace) expect(parted([...past, ...input], later)).toBe(true);
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});

/** Whether a cut before `at` separates an output from the newest call of its id. */
function parted(messages: readonly Message[], at: number): boolean {
  const open = new Map<string, number>();
  let isParted = false;
  messages.forEach((message, place) => {
    for (const { id } of callsOf(message)) open.set(id, place);
    for (const { callId } of outputsOf(message)) {
      const made = open.get(callId);
      open.delete(callId);
      if (made !== undefined && made < at && place >= at) isParted = true;
    }
  });
  return isParted;
}
