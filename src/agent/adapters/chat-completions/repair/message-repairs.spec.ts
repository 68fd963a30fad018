import { user } from '../../testing/collect.js';
import {
  itRepairs,
  type RepairRows,
  lookup,
  called,
  when,
  inMessages,
  json,
  roles,
  contents,
  thinking,
  answered,
} from '../../testing/repair-cases.js';
import { openAiRefusal } from '../../testing/strict-server.js';

const ROWS: RepairRows = {
  'reasoning_content in a message: Groq': {
    rules: [
      inMessages(
        'reasoning_content',
        openAiRefusal(
          "'messages.1' : for 'role:assistant' the following must be satisfied[('messages.1' : property 'reasoning_content' is unsupported)]",
          null,
        ),
      ),
    ],
    messages: answered({ replay: thinking }),
    tools: [lookup],
    expected: (last) => expect(last.messages[1]).not.toHaveProperty('reasoning_content'),
  },
  'reasoning_details in a message: Mistral': {
    rules: [
      inMessages(
        'reasoning_details',
        json(422, {
          object: 'error',
          message: {
            detail: [
              {
                type: 'extra_forbidden',
                loc: ['body', 'messages', 1, 'assistant', 'reasoning_details'],
                msg: 'Extra inputs are not permitted',
                input: [],
              },
            ],
          },
        }),
      ),
    ],
    messages: answered({
      replay: { 'chat-completions': { origin: 'HOST', details: [{ type: 'reasoning.encrypted', data: 'x' }] } },
    }),
    tools: [lookup],
    expected: (last) => expect(last.messages[1]).not.toHaveProperty('reasoning_details'),
  },
  'extra_content of a call': {
    rules: [
      when(
        ({ messages }) => messages.some(({ tool_calls: calls = [] }) => calls.some((call) => 'extra_content' in call)),
        openAiRefusal("'messages.1.tool_calls.0' : property 'extra_content' is unsupported", null),
      ),
    ],
    messages: answered({
      replay: {
        'chat-completions': {
          origin: 'HOST',
          calls: { call_0001: { place: 0, extra: { extra_content: { google: {} } } } },
        },
      },
    }),
    tools: [lookup],
    expected: (last) => expect(last.messages[1]?.tool_calls?.[0]).not.toHaveProperty('extra_content'),
  },
  'reasoning_content that is missing: DeepSeek': {
    rules: [
      when(
        ({ messages }) =>
          messages.some(({ tool_calls: calls, reasoning_content: thought }) => calls && thought === undefined),
        openAiRefusal('The `reasoning_content` in the thinking mode must be passed back to the API.', null),
      ),
    ],
    messages: called,
    tools: [lookup],
    expected: (last) => expect(last.messages[1]?.['reasoning_content']).toBe(''),
  },
  'reasoning_content that came under another name': {
    rules: [
      when(
        ({ messages }) =>
          messages.some(({ tool_calls: calls, reasoning_content: thought }) => calls && thought === undefined),
        openAiRefusal(
          'thinking is enabled but reasoning_content is missing in assistant tool call message at index 1',
          null,
        ),
      ),
    ],
    messages: answered({
      replay: { 'chat-completions': { origin: 'HOST', reasoning: { field: 'reasoning', text: 'Hm.' } } },
    }),
    tools: [lookup],
    expected: (last) => expect(last.messages[1]?.['reasoning_content']).toBe('Hm.'),
  },
  'a thought signature that is missing: Gemini': {
    rules: [
      when(
        ({ messages }) =>
          messages.some(({ tool_calls: calls }) => calls?.[0] !== undefined && !calls[0]['extra_content']),
        json(400, [
          {
            error: {
              code: 400,
              message:
                'Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly',
              status: 'INVALID_ARGUMENT',
            },
          },
        ]),
      ),
    ],
    messages: called,
    tools: [lookup],
    expected: (last) =>
      expect(last.messages[1]?.tool_calls?.[0]?.['extra_content']).toEqual({
        google: { thought_signature: 'skip_thought_signature_validator' },
      }),
  },
  'roles that must alternate: a template, status 500': {
    rules: [
      when(
        (body) => /uu|uatu|us/.test(roles(body)),
        json(500, {
          error: {
            code: 500,
            message: 'Conversation roles must alternate user/assistant/user/assistant/...\nat row 1, column 99',
            type: 'server_error',
          },
        }),
      ),
    ],
    messages: [...called, user('and?'), user('well?')],
    tools: [lookup],
    expected: (last) => expect(roles(last)).toBe('uatau'),
  },
  'a system message that is not at the beginning: Qwen 3.5': {
    rules: [when((body) => /.s/.test(roles(body)), openAiRefusal('System message must be at the beginning.', null))],
    messages: [{ role: 'system', content: 'a' }, user('hi'), { role: 'system', content: 'b' }, user('now')],
    expected: (last) =>
      expect([roles(last), JSON.stringify(last)]).toEqual([
        'su',
        expect.stringContaining('Instruction of the application'),
      ]),
  },
  'no system message at all: Gemma 2': {
    rules: [
      when(
        (body) => roles(body).includes('s'),
        json(400, {
          object: 'error',
          message: 'System role not supported',
          type: 'BadRequestError',
          param: null,
          code: 400,
        }),
      ),
    ],
    messages: [{ role: 'system', content: 'Be brief.' }, user('hi')],
    expected: (last) =>
      expect([roles(last), JSON.stringify(contents(last))]).toEqual(['u', expect.stringContaining('Be brief.')]),
  },
  'a user after a tool: Mistral': {
    rules: [
      when(
        (body) => roles(body).includes('tu'),
        json(400, {
          object: 'error',
          message: "Unexpected role 'user' after role 'tool'",
          type: 'invalid_request_message_order',
          param: null,
          code: '3230',
        }),
      ),
    ],
    messages: [...called, user('and?')],
    tools: [lookup],
    expected: (last) => expect(roles(last)).toBe('uatau'),
  },
  'the last message: Perplexity': {
    rules: [when((body) => roles(body).endsWith('a'), openAiRefusal('Last message must have role `user`.', null))],
    messages: [user('hi'), { role: 'assistant', content: 'Hello', toolCalls: [] }],
    expected: (last) => expect(roles(last)).toBe('uau'),
  },
  'text, thoughts and calls together: gpt-oss': {
    rules: [
      when(
        ({ messages }) =>
          messages.some(({ content, tool_calls: calls, reasoning_content: thought }) => content && calls && thought),
        json(500, {
          error: {
            code: 500,
            message: 'Cannot pass both content and thinking in an assistant message with tool calls!',
            type: 'server_error',
          },
        }),
      ),
    ],
    messages: answered({ content: 'Let me see.', replay: thinking }),
    tools: [lookup],
    expected: (last) =>
      expect([last.messages[1]?.['reasoning_content'], last.messages[1]?.content]).toEqual([undefined, 'Let me see.']),
  },
};

describe('repairs of refused requests about messages (contract model-servers, section 1.4)', () => {
  itRepairs(ROWS);
});
