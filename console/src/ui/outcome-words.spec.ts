import { outcomeWord, stateOf } from './outcome-words.js';

describe('how a run stands', () => {
  const asked = (status: string): Parameters<typeof stateOf>[0]['interrupts'] => [
    { id: 'a', kind: 'approval', status, toolName: 'pay', isEdited: false, resumedByRunId: 'next' },
  ];
  const word = (run: Partial<Parameters<typeof stateOf>[0]>): string =>
    outcomeWord(stateOf({ status: 'interrupted', waitsFor: null, isContinued: false, interrupts: [], ...run }));

  it.each([
    ['Stopped', { status: 'canceled' }],
    ['Waits for approval', { waitsFor: 'approval', interrupts: asked('pending') }],
    ['Waits for an answer', { waitsFor: 'input' }],
    ['Waits for the client', { waitsFor: 'client' }],
    ['Continued', { interrupts: asked('denied') }],
    ['Continued', { isContinued: true }],
    // Results of tools of the client that were left.
    ['Not answered', {}],
    ['Not answered', { interrupts: asked('cancelled') }],
    ['Not answered', { interrupts: asked('expired') }],
  ] as const)('%s', (expected, run) => {
    expect(word(run)).toBe(expected);
  });
});
