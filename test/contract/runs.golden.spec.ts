import { GOLDEN_CLIENT_TOOL, GOLDEN_QUESTION, type GoldenRequest, goldenStreams } from '../support/golden.js';

const THREAD = '550e8400-e29b-41d4-a716-446655440000';
const RUNS = '/api/v1/agent/runs';

function ask(fields: object = {}): GoldenRequest {
  const body = {
    threadId: THREAD,
    runId: 'run-001',
    messages: [{ id: 'msg-001', role: 'user', content: GOLDEN_QUESTION }],
    forwardedProps: { agent_type: 'worker' },
    ...fields,
  };
  return { path: `${RUNS}?prefer=stream`, body };
}

function approve(answers: readonly string[]): GoldenRequest {
  const [json = ''] = [...(answers[0] ?? '').matchAll(/^data: (.*)$/gm)].map(([, data]) => data).slice(-1);
  const finished = JSON.parse(json) as { outcome: { interrupts: readonly { id: string }[] } };
  const resume = [{ interruptId: finished.outcome.interrupts[0]?.id, status: 'resolved', payload: { approved: true } }];
  return { path: `${RUNS}/${THREAD}/run-001/resume`, body: { resume, runId: 'run-002' } };
}

function events(runId: string, query = ''): GoldenRequest {
  return { method: 'GET', path: `${RUNS}/${THREAD}/events?runId=${runId}${query}` };
}

goldenStreams({
  name: 'runs',
  // The front-end's tools are no tools of the server: the call of one that does not exist fails.
  ask: (scenario) => ask(scenario === 'client-tool' ? { tools: [GOLDEN_CLIENT_TOOL] } : {}),
  then: { approval: [approve, () => events('run-002')], 'server-tool': [() => events('run-001', '&from=snapshot')] },
});
