import type { Message } from '../../events/index.js';
import type { AgentContext } from '../agent.js';
import { dataMessage, userMessage } from '../testing/test-run.js';
import { owedClientCalls } from './decided-calls.js';

const call = (id: string): Message => dataMessage('function_call', { call_id: id, name: 'browse', arguments: '{}' });
const cut = (id: string): Message => ({ ...call(id), status: 'incomplete', code: 'max_output_tokens' });
const outputOf = (id: string): Message => dataMessage('function_call_output', { call_id: id, output: 'Done' }, 'tool');

/** The calls that a run owes which an approval has started. */
function owed(...history: readonly Message[]): readonly string[] {
  const resumption = { approvals: [{}] } as unknown as AgentContext['resumption'];
  return owedClientCalls({
    history: [userMessage('Go'), ...history],
    input: [],
    resumption,
  } as unknown as AgentContext);
}

describe('client calls without a result after an approval', () => {
  it('are still owed', () => {
    expect(owed(call('c0'), call('c1'), outputOf('c0'))).toEqual(['c1']);
  });

  it('are not owed if a limit has cut them', () => {
    expect(owed(call('c0'), cut('c1'), outputOf('c0'))).toEqual([]);
  });
});
