import { user } from '../../testing/collect.js';
import {
  asJson,
  called,
  has,
  itRepairs,
  json,
  lookup,
  type RepairRows,
  roles,
  SECRET,
  toolsOf,
  when,
} from '../../testing/repair-cases.js';
import { type ChatBody, openAiRefusal } from '../../testing/strict-server.js';

const hasSchemas = (body: ChatBody): boolean =>
  toolsOf(body).some(({ parameters }) => JSON.stringify(parameters).includes('pattern'));
const withRole = (role: string) => (body: ChatBody) => body.messages.some((message) => message.role === role);
const plain = (last: ChatBody): void =>
  expect(toolsOf(last).map(({ parameters }) => parameters)).toEqual([{ type: 'object', properties: {} }]);

const ROWS: RepairRows = {
  'sampling: temperature and top_p together, Claude': {
    rules: [
      when(
        (body) => 'temperature' in body && 'top_p' in body,
        openAiRefusal('`temperature` and `top_p` cannot both be specified for this model. Please use only one.', null),
      ),
    ],
    options: { temperature: 0.5, topP: 0.5 },
    expected: (last) => expect([last['temperature'], last['top_p']]).toEqual([0.5, undefined]),
  },
  'sampling: a temperature while thinking, Claude': {
    rules: [has('temperature', openAiRefusal('`temperature` may only be set to 1 when thinking is enabled.', null))],
    options: { temperature: 0.5 },
    expected: (last) => expect(last).not.toHaveProperty('temperature'),
  },
  'a member in brackets: Bedrock': {
    rules: [
      has(
        'seed',
        json(400, { message: 'Malformed input request: #: extraneous key [seed] is not permitted, please reformat.' }),
      ),
    ],
    options: { seed: 7 },
    expected: (last) => expect(last).not.toHaveProperty('seed'),
  },
  'members that are not named: OpenRouter': {
    rules: [
      when(
        (body) => 'seed' in body,
        json(404, { error: { message: 'No endpoints found that can handle the requested parameters.', code: 404 } }),
      ),
    ],
    options: { seed: 7, maxTokens: 64 },
    expected: (last) => expect([last['seed'], last['max_tokens']]).toEqual([undefined, 64]),
  },
  ...Object.fromEntries(
    ['"qwen2.5:7b" does not support thinking', 'think value "high" is not supported for this model'].map((message) => [
      `an effort: Ollama, ${message}`,
      {
        rules: [has('reasoning_effort', openAiRefusal(message, null))],
        options: { reasoningEffort: 'high' },
        expected: (last: ChatBody) => expect(last).not.toHaveProperty('reasoning_effort'),
      },
    ]),
  ),
  'an answer at the end: llama.cpp': {
    rules: [
      when(
        (body) => roles(body).endsWith('a'),
        openAiRefusal('Assistant response prefill is incompatible with enable_thinking.', null),
      ),
    ],
    messages: [user(SECRET), { role: 'assistant', content: 'b', toolCalls: [] }],
    expected: (last) => expect(roles(last)).toBe('uau'),
  },
  'no system message at all: Gemma at Google': {
    rules: [
      when(
        withRole('system'),
        json(400, [
          {
            error: {
              code: 400,
              message: 'Developer instruction is not enabled for models/gemma-3-27b-it',
              status: 'INVALID_ARGUMENT',
            },
          },
        ]),
      ),
    ],
    messages: [{ role: 'system', content: 'a' }, user(SECRET)],
    expected: (last) => expect(roles(last)).toBe('u'),
  },
  'two system messages: MiniMax': {
    rules: [
      when(
        (body) => /s.*s/.test(roles(body)),
        json(400, {
          type: 'error',
          error: {
            type: 'bad_request_error',
            message: 'invalid params, invalid chat setting (2013)',
            http_code: '400',
          },
        }),
      ),
    ],
    messages: [{ role: 'system', content: 'a' }, { role: 'system', content: 'b' }, user(SECRET)],
    expected: (last) => expect(roles(last)).toBe('su'),
  },
  'texts in parts: Cloudflare': {
    rules: [
      when(
        ({ messages }) => messages.some(({ content }) => Array.isArray(content)),
        json(400, {
          errors: [
            {
              message:
                "AiError: Bad input: Error: oneOf at '/' not met, 0 matches: required properties at '/' are 'prompt', Type mismatch of '/messages/0/content', 'string' not in 'array'",
              code: 5006,
            },
          ],
          success: false,
        }),
      ),
    ],
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: SECRET },
          { type: 'text', text: 'and' },
        ],
      },
    ],
    expected: (last) => expect(typeof last.messages[0]?.content).toBe('string'),
  },
  'no content beside calls: llama.cpp, status 500': {
    rules: [
      when(
        ({ messages }) => messages.some(({ content }) => content === null),
        json(500, {
          error: { code: 500, message: "Expected 'content' to be a string or an array", type: 'server_error' },
        }),
      ),
    ],
    messages: called,
    tools: [lookup],
    expected: (last) => expect(last.messages[1]?.content).toBe(''),
  },
  'an empty message: Kimi behind a gateway': {
    rules: [
      when(
        ({ messages }) => messages.some(({ role, content }) => role === 'tool' && content === ''),
        openAiRefusal("Invalid request: the message at position 2 with role 'tool' must not be empty", null),
      ),
    ],
    messages: called.map((message) => (message.role === 'tool' ? { ...message, content: '' } : message)),
    tools: [lookup],
    expected: (last) => expect(last.messages[2]?.content).toBe('(The tool returned nothing.)'),
  },
  'no content beside calls': {
    rules: [
      when(
        ({ messages }) => messages.some(({ content }) => content === null),
        json(422, {
          detail: [
            { type: 'string_type', loc: ['body', 'messages', 1, 'content'], msg: 'Input should be a valid string' },
          ],
        }),
      ),
    ],
    messages: called,
    tools: [lookup],
    expected: (last) => expect(last.messages[1]?.content).toBe(''),
  },
  'the role of results': {
    rules: [
      when(
        withRole('tool'),
        openAiRefusal(
          "Invalid value: 'tool'. Supported values are: 'system', 'assistant', and 'user'.",
          'messages[2].role',
        ),
      ),
    ],
    messages: called,
    tools: [lookup],
    expected: (last) => expect([roles(last), last.tools]).toEqual(['uau', undefined]),
  },
  'JSON and tools: Gemini': {
    rules: [
      when(
        (body) => body.tools !== undefined && 'response_format' in body,
        json(400, [
          {
            error: {
              code: 400,
              message: "Function calling with a response mime type: 'application/json' is unsupported",
              status: 'INVALID_ARGUMENT',
            },
          },
        ]),
      ),
    ],
    tools: [lookup],
    options: asJson,
    expected: (last) => expect([toolsOf(last).length, last['response_format']]).toEqual([1, undefined]),
  },
  'a schema of a tool, not named: Kimi': {
    rules: [
      when(
        hasSchemas,
        openAiRefusal(
          "Invalid request: tools.function.parameters is not a valid moonshot flavored json schema, details: <At path 'properties.id': pattern is not allowed>",
          null,
        ),
      ),
    ],
    tools: [lookup],
    expected: plain,
  },
  'a grammar: llama.cpp, status 500': {
    rules: [
      when(hasSchemas, json(500, { error: { code: 500, message: 'failed to parse grammar', type: 'server_error' } })),
    ],
    tools: [lookup],
    expected: plain,
  },
};

describe('repairs of refusals that users of other gateways have reported', () => {
  itRepairs(ROWS);
});
