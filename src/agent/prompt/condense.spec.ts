import type { ModelMessage } from '../ports/model-client.js';
import { condense, isWholeSummary } from './condense.js';
import { estimateTextTokens } from './token-estimate.js';

const user = (text: string): ModelMessage => ({ role: 'user', content: [{ type: 'text', text }] });
const TALK: readonly ModelMessage[] = [
  user('Where are\nthe  grapes?'),
  { role: 'assistant', content: 'Let me look.', toolCalls: [{ id: 'a', name: 'look', arguments: '{"in":"cellar"}' }] },
  { role: 'tool', callId: 'a', name: 'look', content: 'x'.repeat(600) },
  { role: 'assistant', content: 'In the cellar.', toolCalls: [] },
];

describe('condense', () => {
  it('writes a line for each text, call and output, and cuts long ones', () => {
    expect(condense(TALK, { whose: 'all', maxTokens: 1000 })).toBe(
      [
        'Summary of the whole conversation so far, condensed by the server:',
        '- user: Where are the grapes?',
        '- assistant: Let me look.',
        '- called look with {"in":"cellar"}',
        `- tool output: ${'x'.repeat(500)} […]`,
        '- assistant: In the cellar.',
      ].join('\n'),
    );
  });

  it('leaves the user out where the messages of the user are kept', () => {
    const text = condense(TALK, { whose: 'others', maxTokens: 1000 });
    expect(text).not.toContain('- user');
    expect([isWholeSummary(text), isWholeSummary(condense(TALK, { whose: 'all', maxTokens: 1000 }))]).toEqual([
      false,
      true,
    ]);
    expect(condense([user('Hello')], { whose: 'others', maxTokens: 1000 })).toBe('');
  });

  it.each([30, 64, 100])('keeps the newest lines within %s tokens', (maxTokens) => {
    const text = condense(TALK, { whose: 'all', maxTokens });
    expect(estimateTextTokens(text)).toBeLessThanOrEqual(maxTokens + 4);
    expect(text).toContain('[…]');
    expect(text).toMatch(/In the cellar\.$/);
  });

  it('keeps a part of a text that alone is too long, and no half of a character', () => {
    const text = condense([user('😀'.repeat(3000))], { whose: 'all', maxTokens: 64 });
    expect(text.isWellFormed()).toBe(true);
    expect(text.split('\n')).toHaveLength(3);
  });

  it('keeps the lines of an earlier summary', () => {
    const earlier = condense(TALK, { whose: 'all', maxTokens: 1000 });
    const text = condense([{ role: 'system', content: earlier }, user('And?')], { whose: 'all', maxTokens: 1000 });
    expect(text).toBe(`${earlier}\n- user: And?`);
  });
});
