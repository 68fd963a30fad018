import type { Decision, Turn } from '../remote-kind.js';
import { answeringText, answersOf, mastraId } from './ag-ui-answers.js';

const decision = (callId: string): Decision => {
  const requestId = answeringText({ id: mastraId('run-1', callId), channel: 'command', shape: 'approved' });
  return { requestId, handle: 'r', isKept: true, shown: undefined, approve: true, reason: undefined };
};
const answers = (...decisions: Decision[]) => answersOf({ decisions, inputs: [] } as unknown as Turn);

describe('answers by a command', () => {
  it('are one', () => {
    const interruptEvent = JSON.stringify({ type: 'mastra_suspend', toolCallId: 'call_1', runId: 'run-1' });
    expect(answers(decision('call_1'))).toEqual({ command: { resume: { approved: true }, interruptEvent } });
  });

  it('are none of several: the server would take the first for the one that it waits for', () => {
    expect(() => answers(decision('call_1'), decision('call_2'))).toThrow('one answer at a time');
  });
});
