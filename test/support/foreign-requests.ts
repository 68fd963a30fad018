import { randomUUID } from 'node:crypto';
import { chatAttempts } from './foreign-chats.js';
import { taskAttempts } from './foreign-tasks.js';

/** What one conversation of the owner is known by. */
export interface Ids {
  readonly session: string;
  readonly run: string;
  /** The id that the client gave the run. */
  readonly key: string;
  readonly message: string;
  readonly interrupt: string;
  readonly attachment: string;
}

/** A request of a stranger. */
export interface Attempt {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Only the status is compared: a stranger's own conversation may begin under an id that the owner uses, and gets
   * ids and times of its own.
   */
  readonly begins?: true;
}

const say = (id: string, content: string) => ({ id, role: 'user', content });

/** Everything that a request can do with an id of somebody else, on every wire. */
export function attempts({ session, run, key, message, interrupt, attachment }: Ids): readonly Attempt[] {
  const words = 'Repeat everything';
  const input = [{ role: 'user', content: [{ type: 'text', text: words }] }];
  const agUi = { threadId: session, runId: `run-${randomUUID()}`, messages: [say('m', words)] };
  const resume = [{ interruptId: interrupt, status: 'resolved', payload: { approved: true } }];
  const agentApiAnswer = [
    {
      role: 'user',
      type: 'mcp_approval_response',
      content: [{ type: 'data', data: { approval_request_id: interrupt, approve: true } }],
    },
  ];
  const responses = ['/v1', '/compatible-mode/v1'].flatMap((prefix): Attempt[] => [
    { method: 'GET', path: `${prefix}/responses/${run}` },
    { method: 'GET', path: `${prefix}/responses/${run}?stream=true` },
    { method: 'GET', path: `${prefix}/responses/${run}/input_items` },
    { method: 'POST', path: `${prefix}/responses/${run}/cancel` },
    { method: 'DELETE', path: `${prefix}/responses/${run}` },
    { method: 'POST', path: `${prefix}/responses`, body: { model: 'worker', input: words, previous_response_id: run } },
    { method: 'POST', path: `${prefix}/responses`, body: { model: 'worker', input: words, conversation: session } },
    {
      method: 'POST',
      path: `${prefix}/responses`,
      body: { model: 'worker', input: [{ type: 'item_reference', id: message }] },
    },
    {
      method: 'POST',
      path: `${prefix}/responses`,
      body: {
        model: 'worker',
        input: [{ type: 'mcp_approval_response', approval_request_id: interrupt, approve: true }],
      },
    },
    {
      method: 'POST',
      path: `${prefix}/responses/compact`,
      body: { model: 'worker', input: words, previous_response_id: run },
    },
    {
      method: 'POST',
      path: `${prefix}/responses/compact`,
      body: { model: 'worker', input: words, conversation: session },
    },
    {
      method: 'POST',
      path: `${prefix}/responses/input_tokens`,
      body: { model: 'worker', input: words, previous_response_id: run },
    },
    { method: 'GET', path: `${prefix}/conversations/${session}` },
    { method: 'POST', path: `${prefix}/conversations/${session}`, body: { metadata: { taken: 'yes' } } },
    { method: 'DELETE', path: `${prefix}/conversations/${session}` },
    { method: 'GET', path: `${prefix}/conversations/${session}/items` },
    {
      method: 'POST',
      path: `${prefix}/conversations/${session}/items`,
      body: { items: [{ type: 'message', role: 'user', content: words }] },
    },
    { method: 'GET', path: `${prefix}/conversations/${session}/items/${message}` },
    { method: 'DELETE', path: `${prefix}/conversations/${session}/items/${message}` },
  ]);
  const copilot = (method: string, params: object, body?: object): Attempt => ({
    method: 'POST',
    path: '/copilotkit',
    body: { method, params, body },
  });
  return [
    { method: 'POST', path: '/process', body: { session_id: session, input, stream: false }, begins: true },
    { method: 'POST', path: '/process', body: { session_id: session, input: agentApiAnswer, stream: false } },
    { method: 'POST', path: '/process/task', body: { session_id: session, input }, begins: true },
    { method: 'GET', path: `/process/${run}` },
    { method: 'GET', path: `/process/${run}?stream=true` },
    { method: 'GET', path: `/process/task/${run}` },
    { method: 'POST', path: '/stop', body: { response_id: run } },
    { method: 'POST', path: '/stop', body: { session_id: session }, begins: true },
    ...responses,
    { method: 'POST', path: '/ag-ui', body: agUi, begins: true },
    { method: 'POST', path: '/ag-ui/worker', body: agUi, begins: true },
    { method: 'POST', path: '/ag-ui', body: { ...agUi, messages: [], resume } },
    { method: 'POST', path: '/copilotkit/agent/worker/run', body: agUi, begins: true },
    { method: 'POST', path: '/copilotkit/agent/worker/run', body: { ...agUi, messages: [], resume } },
    { method: 'POST', path: '/copilotkit/agent/worker/connect', body: { ...agUi, messages: [] } },
    { method: 'POST', path: `/copilotkit/agent/worker/stop/${session}` },
    copilot('agent/run', { agentId: 'worker' }, { ...agUi, messages: [], resume }),
    copilot('agent/connect', { agentId: 'worker' }, { ...agUi, messages: [] }),
    copilot('agent/stop', { agentId: 'worker', threadId: session }),
    { method: 'GET', path: `/copilotkit/threads/${session}/messages` },
    { method: 'GET', path: `/copilotkit/threads/${session}/events` },
    { method: 'GET', path: `/copilotkit/threads/${session}/state` },
    { method: 'PATCH', path: `/copilotkit/threads/${session}`, body: { name: 'taken' } },
    { method: 'POST', path: `/copilotkit/threads/${session}/archive` },
    { method: 'DELETE', path: `/copilotkit/threads/${session}` },
    {
      method: 'POST',
      path: '/send-message',
      body: { conversationId: session, messages: [{ role: 'user', content: words }] },
      begins: true,
    },
    {
      method: 'POST',
      path: '/send-message',
      body: { conversationId: session, messages: [], resume: { interruptId: interrupt, payload: { approved: true } } },
    },
    {
      method: 'POST',
      path: '/v1/aibot/bots/worker/send-message',
      body: { conversationId: session, msg: words },
      begins: true,
    },
    { method: 'GET', path: `/v1/aibot/bots/worker/records?conversationId=${session}` },
    { method: 'PATCH', path: `/v1/aibot/bots/worker/conversation/${session}`, body: { title: 'taken' } },
    { method: 'DELETE', path: `/v1/aibot/bots/worker/conversation/${session}` },
    { method: 'GET', path: `/api/v1/agent/runs/${session}` },
    { method: 'GET', path: `/api/v1/agent/runs/${session}/events?runId=${key}` },
    { method: 'GET', path: `/api/v1/agent/runs/${session}/events?follow=session` },
    { method: 'GET', path: `/api/v1/agent/runs/${session}/${key}` },
    { method: 'GET', path: `/api/v1/agent/runs/${session}/${run}` },
    { method: 'POST', path: `/api/v1/agent/runs/${session}/${key}/cancel`, body: {} },
    { method: 'POST', path: `/api/v1/agent/runs/${session}/${key}/resume`, body: { runId: randomUUID(), resume } },
    { method: 'GET', path: `/api/v1/agent/tasks/${run}` },
    { method: 'GET', path: `/api/v1/agent/history?threadId=${session}` },
    ...['agent-api', 'responses', 'ag-ui', 'ag-kit', 'runs', 'chat-completions', 'ai-sdk'].flatMap(
      (protocol): Attempt[] => [
        { method: 'GET', path: `/runs/${run}/events?protocol=${protocol}` },
        { method: 'GET', path: `/runs/${run}/events?protocol=${protocol}&follow=session` },
      ],
    ),
    ...[
      '',
      '/request',
      '/response',
      '/timeline',
      '/steps',
      '/events',
      '/events.jsonl',
      '/events/stream',
      '/frames',
    ].map((part): Attempt => ({ method: 'GET', path: `/api/v1/runs/${run}${part}` })),
    { method: 'POST', path: `/api/v1/runs/${run}/cancel` },
    { method: 'GET', path: `/usage/runs/${run}` },
    { method: 'GET', path: `/api/v1/runs?session=${session}` },
    { method: 'GET', path: `/api/v1/runs?text=${run}` },
    ...['', '/messages', '/state'].map((part): Attempt => ({
      method: 'GET',
      path: `/api/v1/sessions/${session}${part}`,
    })),
    ...['approvals', 'interrupts'].flatMap((list): Attempt[] => [
      { method: 'GET', path: `/${list}/${interrupt}` },
      { method: 'GET', path: `/${list}?session_id=${session}` },
      { method: 'POST', path: `/${list}/${interrupt}`, body: { approve: true } },
    ]),
    ...['', '?exp=9999999999&kid=main&sig=AAAA'].map((query): Attempt => ({
      method: 'GET',
      path: `/api/v1/agent/attachments/${attachment}/content${query}`,
    })),
    ...taskAttempts({ session, run, key, message, interrupt, attachment }),
    ...chatAttempts({ session, run, message, interrupt }, words),
    {
      method: 'POST',
      path: '/v1/aibot/bots/worker/conversation',
      body: { conversationId: session, title: 'taken' },
      begins: true,
    },
    {
      method: 'POST',
      path: '/api/v1/agent/runs?prefer=stream',
      body: { ...agUi, threadId: session, forwardedProps: { agent_type: 'worker' } },
      begins: true,
    },
    { method: 'POST', path: '/access/tickets', body: { path: `/runs/${run}/events` }, begins: true },
    {
      method: 'POST',
      path: '/process',
      body: {
        session_id: randomUUID(),
        stream: false,
        input: [
          { role: 'user', content: [{ type: 'image', image_url: `/api/v1/agent/attachments/${attachment}/content` }] },
        ],
      },
    },
  ];
}

/** What everybody may ask for, which must show nothing of others. */
export const LISTS: readonly Attempt[] = [
  '/approvals',
  '/interrupts',
  '/api/v1/runs',
  '/api/v1/sessions',
  '/api/v1/attachments',
  '/copilotkit/threads',
  '/copilotkit/threads?includeArchived=true',
  '/v1/aibot/bots/worker/conversation',
  '/v1/aibot/bots/worker/records',
  '/api/v1/agent/history',
  '/api/v1/users/me/settings',
].map((path) => ({ method: 'GET', path }));

/** Names of the owner, by every name that a wire has for a user. */
export const CLAIMS: readonly Attempt[] = [
  { method: 'GET', path: '/approvals?user_id=alice' },
  { method: 'GET', path: '/interrupts?user_id=alice' },
  { method: 'GET', path: '/api/v1/runs?user=alice' },
  { method: 'GET', path: '/api/v1/runs/stream?user=alice' },
  { method: 'GET', path: '/api/v1/sessions?user=alice' },
  { method: 'GET', path: '/api/v1/attachments?user=alice' },
  { method: 'GET', path: '/api/v1/runs', headers: { 'x-user-id': 'alice' } },
  { method: 'GET', path: '/api/v1/users/me/settings?user_id=alice' },
  { method: 'PUT', path: '/api/v1/users/me/settings?user_id=alice', body: { locale: 'de' } },
  { method: 'GET', path: '/copilotkit/threads', headers: { 'x-user-id': 'alice' } },
  { method: 'POST', path: '/copilotkit/threads/clear', headers: { 'x-user-id': 'alice' } },
  { method: 'GET', path: '/v1/aibot/bots/worker/conversation', headers: { 'x-user-id': 'alice' } },
  { method: 'GET', path: '/v1/aibot/bots/worker/conversation?user_id=alice' },
  { method: 'GET', path: '/approvals', headers: { 'x-user-id': 'alice' } },
  { method: 'GET', path: '/api/v1/agent/history', headers: { 'x-user-id': 'alice' } },
  {
    method: 'POST',
    path: '/process',
    body: { user_id: 'alice', input: [{ role: 'user', content: [{ type: 'text', text: 'x' }] }] },
  },
  { method: 'POST', path: '/stop', body: { user_id: 'alice', session_id: 's' } },
  {
    method: 'POST',
    path: '/send-message',
    body: { user_id: 'alice', conversationId: 'c', messages: [{ role: 'user', content: 'x' }] },
  },
  {
    method: 'POST',
    path: '/send-message',
    body: { userId: 'alice', conversationId: 'c', messages: [{ role: 'user', content: 'x' }] },
  },
  { method: 'POST', path: '/v1/aibot/bots/worker/send-message', body: { userId: 'alice', msg: 'x' } },
  {
    method: 'POST',
    path: '/ag-ui',
    body: { threadId: 't', runId: 'r', messages: [say('m', 'x')], forwardedProps: { user_id: 'alice' } },
  },
  {
    method: 'POST',
    path: '/copilotkit/agent/worker/connect',
    body: { threadId: 't', runId: 'r', messages: [], forwardedProps: { userId: 'alice' } },
  },
];

/** How a wire begins or continues a conversation. @param key the id that the client gives the run */
export const SAY: Readonly<Record<string, (session: string, key: string, words: string) => Attempt>> = {
  'agent-api': (session_id, id, words) => ({
    method: 'POST',
    path: '/process',
    body: { session_id, id, stream: false, input: [{ role: 'user', content: [{ type: 'text', text: words }] }] },
  }),
  responses: (conversation, _, input) => ({
    method: 'POST',
    path: '/v1/responses',
    body: { model: 'worker', conversation, input },
  }),
  'ag-ui': (threadId, runId, words) => ({
    method: 'POST',
    path: '/ag-ui',
    body: { threadId, runId, messages: [say(randomUUID(), words)] },
  }),
  copilotkit: (threadId, runId, words) => ({
    method: 'POST',
    path: '/copilotkit/agent/worker/run',
    body: { threadId, runId, messages: [say(randomUUID(), words)] },
  }),
  'ai-sdk': (id, _, words) => ({
    method: 'POST',
    path: '/ai-sdk',
    body: { id, message: { id: randomUUID(), role: 'user', parts: [{ type: 'text', text: words }] } },
  }),
  'ag-kit': (conversationId, _, words) => ({
    method: 'POST',
    path: '/send-message',
    body: { conversationId, messages: [{ role: 'user', content: words }] },
  }),
  a2a: (contextId, _, words) => ({
    method: 'POST',
    path: '/a2a/message:send',
    body: { message: { messageId: randomUUID(), contextId, parts: [{ text: words }] } },
  }),
  runs: (threadId, runId, words) => ({
    method: 'POST',
    path: '/api/v1/agent/runs?prefer=stream',
    body: { threadId, runId, messages: [say(randomUUID(), words)], forwardedProps: { agent_type: 'worker' } },
  }),
};
