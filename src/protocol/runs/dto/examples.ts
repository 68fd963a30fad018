const input = (threadId: string, runId: string, content: string, more: object = {}) => ({
  threadId,
  runId,
  state: {},
  messages: [{ id: 'msg-001', role: 'user', content }],
  tools: [],
  context: [],
  forwardedProps: { agent_type: 'worker' },
  ...more,
});

const THREAD = '550e8400-e29b-41d4-a716-446655440000';

/** Requests of `POST /runs` that run as they stand. */
export const RUN_EXAMPLES = {
  question: { summary: 'A question', value: input(THREAD, 'run-001', 'What is the capital of France?') },
  weather: { summary: 'A tool of the server', value: input(THREAD, 'run-002', 'What is the weather in Paris?') },
  long: { summary: 'A long answer to watch and to cancel', value: input(THREAD, 'run-003', 'count to 300 slowly') },
  clientTime: {
    summary: 'With the time of the client',
    value: input(THREAD, 'run-004', 'What time is it?', {
      forwardedProps: {
        agent_type: 'worker',
        client_time: {
          device_timezone: 'America/Los_Angeles',
          client_now_iso: '2026-03-16T09:12:33-07:00',
          client_epoch_ms: 1773658353000,
        },
      },
    }),
  },
};

/** Requests of `POST /runs/{threadId}/{runId}/cancel`. */
export const CANCEL_EXAMPLES = {
  keep: { summary: 'Stop and keep the messages', value: { wait: true } },
  rollback: { summary: 'Stop and remove the messages', value: { mode: 'rollback', wait: true } },
};

/** Requests of `POST /runs/{threadId}/{runId}/resume`. */
export const RESUME_EXAMPLES = {
  approve: {
    summary: 'Approve a call',
    value: { resume: [{ interruptId: 'the id of the interrupt', status: 'resolved', payload: { approved: true } }] },
  },
  deny: {
    summary: 'Deny a call',
    value: { resume: [{ interruptId: 'the id of the interrupt', status: 'resolved', payload: { approved: false } }] },
  },
};
