import {
  GOLDEN_CLIENT_OUTPUT,
  GOLDEN_CLIENT_TOOL,
  GOLDEN_QUESTION,
  type GoldenRequest,
  type GoldenScenario,
  goldenStreams,
} from '../support/golden.js';

const TOOLS = 'urn:parley:a2a:client-tools:v1';
const HEADERS = { 'a2a-extensions': TOOLS };

/** What a client of the tool sends with its question. */
const declared = (scenario: GoldenScenario) =>
  scenario === 'client-tool' ? { metadata: { [TOOLS]: { tools: [GOLDEN_CLIENT_TOOL] } } } : {};

const taskIn = (answer = ''): string => /"(?:id|taskId)":"([0-9a-f-]{36}|[^"]+)","contextId"/.exec(answer)?.[1] ?? '';
const RESULT = { type: 'tool_result', callId: 'call_map', output: GOLDEN_CLIENT_OUTPUT };

function ask(parts: readonly object[], messageId: string, fields: object = {}): GoldenRequest {
  const message = { messageId, contextId: 's1', role: 'ROLE_USER', parts, ...fields };
  return { path: '/a2a/message:stream', headers: HEADERS, body: { message } };
}

goldenStreams({
  name: 'a2a',
  ask: (scenario) => ask([{ text: GOLDEN_QUESTION }], 'm1', declared(scenario)),
  then: {
    'client-tool': [([first]) => ask([{ data: RESULT }], 'm2', { taskId: taskIn(first), ...declared('client-tool') })],
    approval: [([first]) => ask([{ text: 'approve' }], 'm2', { taskId: taskIn(first) })],
  },
});

function ask03(parts: readonly object[], messageId: string, fields: object = {}): GoldenRequest {
  const message = { kind: 'message', messageId, contextId: 's1', role: 'user', parts, ...fields };
  return {
    path: '/a2a',
    headers: { 'x-a2a-extensions': TOOLS },
    body: { jsonrpc: '2.0', id: 'r1', method: 'message/stream', params: { message } },
  };
}

goldenStreams({
  name: 'a2a-0.3',
  ask: (scenario) => ask03([{ kind: 'text', text: GOLDEN_QUESTION }], 'm1', declared(scenario)),
  then: {
    'client-tool': [
      ([first]) => ask03([{ kind: 'data', data: RESULT }], 'm2', { taskId: taskIn(first), ...declared('client-tool') }),
    ],
    approval: [([first]) => ask03([{ kind: 'text', text: 'approve' }], 'm2', { taskId: taskIn(first) })],
  },
});
