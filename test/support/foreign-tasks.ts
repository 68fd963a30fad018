import { randomUUID } from 'node:crypto';
import type { Attempt, Ids } from './foreign-requests.js';

/** Everything that a request of A2A can do with an id of somebody else. */
export function taskAttempts({ session, run, interrupt }: Ids): readonly Attempt[] {
  const part = { data: { type: 'approval', id: interrupt, approved: true } };
  const message = (fields: object) => ({ messageId: randomUUID(), role: 'ROLE_USER', parts: [part], ...fields });
  const old = {
    kind: 'message',
    messageId: 'm',
    role: 'user',
    taskId: run,
    parts: [{ kind: 'text', text: 'approve' }],
  };
  const calls: readonly (readonly [method: string, params: object])[] = [
    ['GetTask', { id: run }],
    ['CancelTask', { id: run }],
    ['SubscribeToTask', { id: run }],
    ['SendMessage', { message: message({ taskId: run }) }],
    ['SendStreamingMessage', { message: message({ taskId: run }) }],
    ['ListTasks', { contextId: session }],
    ['CreateTaskPushNotificationConfig', { taskId: run, url: 'https://example.org/' }],
    ['ListTaskPushNotificationConfigs', { taskId: run }],
    ['GetTaskPushNotificationConfig', { taskId: run, id: 'c' }],
    ['DeleteTaskPushNotificationConfig', { taskId: run, id: 'c' }],
    ['tasks/get', { id: run }],
    ['tasks/cancel', { id: run }],
    ['tasks/resubscribe', { id: run }],
    ['message/send', { message: old }],
    ['message/stream', { message: old }],
  ];
  return ['/a2a', '/a2a/agents/worker'].flatMap((base): readonly Attempt[] => [
    ...calls.map(([method, params]): Attempt => {
      return { method: 'POST', path: base, body: { jsonrpc: '2.0', id: 1, method, params } };
    }),
    { method: 'GET', path: `${base}/tasks/${run}` },
    { method: 'GET', path: `${base}/tasks/${run}:subscribe` },
    { method: 'POST', path: `${base}/tasks/${run}:subscribe` },
    { method: 'POST', path: `${base}/tasks/${run}:cancel` },
    { method: 'GET', path: `${base}/tasks?contextId=${session}` },
    { method: 'POST', path: `${base}/message:send`, body: { message: message({ taskId: run }) } },
    { method: 'POST', path: `${base}/message:stream`, body: { message: message({ taskId: run }) } },
  ]);
}
