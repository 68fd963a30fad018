import { VERSION } from '../../../common/index.js';

const message = (messageId: string, contextId: string, text: string) => ({
  messageId,
  contextId,
  role: 'ROLE_USER',
  parts: [{ text }],
});

/** Bodies of `message:send` that work unchanged. */
export const SEND_EXAMPLES = {
  message: {
    summary: 'A message',
    value: { message: message('m-1', 'a2a-example-1', 'What is the capital of France?') },
  },
  immediately: {
    summary: 'Do not wait',
    value: {
      message: message('m-1', 'a2a-example-2', 'Count to 20'),
      configuration: { returnImmediately: true },
    },
  },
};

/** Bodies of the JSON-RPC binding that work unchanged. */
export const RPC_EXAMPLES = {
  send: {
    summary: 'A message (1.0)',
    value: { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: SEND_EXAMPLES.message.value },
  },
  stream: {
    summary: 'A stream (1.0)',
    value: {
      jsonrpc: '2.0',
      id: 1,
      method: 'SendStreamingMessage',
      params: { message: message('m-1', 'a2a-example-3', 'Count to 20') },
    },
  },
  old: {
    summary: 'A message (0.3)',
    value: {
      jsonrpc: '2.0',
      id: 1,
      method: 'message/send',
      params: {
        message: {
          kind: 'message',
          messageId: 'm-1',
          contextId: 'a2a-example-4',
          role: 'user',
          parts: [{ kind: 'text', text: 'What is the capital of France?' }],
        },
      },
    },
  },
};

const IDS = { taskId: '0190c3d2-7a1e-7c4b-9f35-2d1b6a0e8f41', contextId: 'a2a-example-1' };
const AT = '2026-11-26T09:00:00.000Z';

/** A task that is over. */
export const TASK_EXAMPLE = {
  id: IDS.taskId,
  contextId: IDS.contextId,
  status: { state: 'TASK_STATE_COMPLETED', timestamp: AT },
  artifacts: [{ artifactId: 'msg_2', name: 'answer', parts: [{ text: 'Paris.' }] }],
  history: [{ ...message('m-1', IDS.contextId, 'What is the capital of France?'), taskId: IDS.taskId }],
  metadata: { agent: 'worker' },
};

/** What the stream of a short answer looks like. */
export const STREAM_EXAMPLE = [
  { task: { ...TASK_EXAMPLE, status: { state: 'TASK_STATE_SUBMITTED', timestamp: AT }, artifacts: undefined } },
  { statusUpdate: { ...IDS, status: { state: 'TASK_STATE_WORKING', timestamp: AT } } },
  { artifactUpdate: { ...IDS, artifact: { artifactId: 'msg_2', name: 'answer', parts: [{ text: 'Paris.' }] } } },
  {
    artifactUpdate: { ...IDS, artifact: { artifactId: 'msg_2', parts: [{ text: '' }] }, append: true, lastChunk: true },
  },
  { statusUpdate: { ...IDS, status: { state: 'TASK_STATE_COMPLETED', timestamp: AT } } },
]
  .map((frame, id) => `id: ${id}\ndata: ${JSON.stringify(frame)}\n\n`)
  .join('');

/** A card for clients of 1.0. */
export const CARD_EXAMPLE = {
  name: 'worker',
  description: 'Answers questions and uses the tools of the server.',
  version: VERSION,
  supportedInterfaces: [{ url: 'http://127.0.0.1:8090/a2a', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
  capabilities: { streaming: true },
  defaultInputModes: ['text/plain', 'application/json'],
  defaultOutputModes: ['text/plain', 'application/json'],
  skills: [{ id: 'worker', name: 'worker', description: 'Answers questions.', tags: ['worker'] }],
};
