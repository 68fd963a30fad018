import {
  GOLDEN_CLIENT_OUTPUT,
  GOLDEN_CLIENT_TOOL,
  GOLDEN_QUESTION,
  type GoldenRequest,
  goldenStreams,
} from '../support/golden.js';

const question = { id: 'u1', role: 'user', content: GOLDEN_QUESTION };
const tools = [GOLDEN_CLIENT_TOOL];

function run(runId: string, fields: object): GoldenRequest {
  const base = { threadId: 't1', runId, protocolVersion: '1.0', state: {}, tools: [], context: [], forwardedProps: {} };
  return { path: '/ag-ui', body: { ...base, messages: [question], ...fields } };
}

/** What the client's history says of a call that the stream has shown. */
function assistantCall(answer: string): object {
  const start = frames(answer).find(({ type }) => type === 'TOOL_CALL_START');
  const { toolCallId, toolCallName, parentMessageId } = start as Record<string, string>;
  const call = { name: toolCallName, arguments: '{"place":"Paris"}' };
  return { id: parentMessageId, role: 'assistant', toolCalls: [{ id: toolCallId, type: 'function', function: call }] };
}

function toolResult(answers: readonly string[]): GoldenRequest {
  const result = { id: 'tool1', role: 'tool', toolCallId: 'call_map', content: GOLDEN_CLIENT_OUTPUT };
  return run('r2', { tools, messages: [question, assistantCall(answers[0] ?? ''), result] });
}

function approval(answers: readonly string[]): GoldenRequest {
  const finished = frames(answers[0] ?? '').at(-1) as { outcome: { interrupts: readonly { id: string }[] } };
  const [interrupt] = finished.outcome.interrupts;
  return run('r2', { resume: [{ interruptId: interrupt?.id, status: 'resolved', payload: { approved: true } }] });
}

function frames(answer: string): Record<string, unknown>[] {
  return [...answer.matchAll(/^data: (.*)$/gm)].map(
    ([, json]) => JSON.parse(json as string) as Record<string, unknown>,
  );
}

goldenStreams({
  name: 'ag-ui',
  ask: (scenario) => run('r1', scenario === 'client-tool' ? { tools } : {}),
  then: { 'client-tool': [toolResult], approval: [approval] },
});
