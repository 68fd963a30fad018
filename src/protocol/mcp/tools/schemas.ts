import type { JsonObject } from '../../../common/index.js';

/** The tool that waits for an answer. */
export const GET_ANSWER = 'get_answer';
/** The tool that stops a run. */
export const STOP_RUN = 'stop_run';

/** Characters of a message at most. */
export const LONGEST_MESSAGE = 100_000;
/** Attachments of a message at most. */
export const MOST_ATTACHMENTS = 16;

/** The arguments of the tool of an agent. */
export const ASK_SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    message: { type: 'string', minLength: 1, maxLength: LONGEST_MESSAGE, description: 'What the agent is asked.' },
    session_id: {
      type: 'string',
      description: 'The session_id of an earlier result, to go on in that conversation. Without it a new one begins.',
    },
    attachments: {
      type: 'array',
      items: { type: 'string' },
      maxItems: MOST_ATTACHMENTS,
      description: 'Addresses of attachments of this server, or data: URLs of at most 1 MiB.',
    },
  },
  required: ['message'],
  additionalProperties: false,
};

/** The structured content of a result. */
export const RESULT_SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    status: { type: 'string', enum: ['completed', 'in_progress', 'waiting', 'stopped'] },
    answer: { type: 'string' },
    session_id: { type: 'string' },
    run_id: { type: 'string' },
    waiting_for: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          id: { type: 'string' },
          kind: { type: 'string', enum: ['approval', 'input'] },
          tool_name: { type: 'string' },
          arguments: { type: 'object' },
          message: { type: 'string' },
          expires_at: { type: 'string' },
        },
        required: ['id', 'kind'],
      },
    },
    usage: { type: 'object' },
  },
  required: ['status', 'answer', 'session_id', 'run_id'],
};
