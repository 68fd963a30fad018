import type { ModelMessage, ModelOptions } from '../../../ports/model-client.js';
import type { ToolDeclaration } from '../../../../tools/index.js';
import { collect, failureOf, request, user } from '../../testing/collect.js';
import {
  type ChatBody,
  type ChatTool,
  openAiRefusal,
  type Refusal,
  type StrictRule,
  type StrictServer,
  strictServer,
} from '../../testing/strict-server.js';
import { clientFor, expectError, KEY, waits } from '../../testing/upstream-client.js';

/** What must never be in a log. */
const SECRET = 'the launch code of the silo is 0000';

const lookup: ToolDeclaration = {
  name: 'lookup',
  description: 'Finds things',
  parameters: { type: 'object', properties: { id: { type: 'string', pattern: '^a+$' } } },
};
const second: ToolDeclaration = { ...lookup, name: 'second' };
const called: ModelMessage[] = [
  user(SECRET),
  { role: 'assistant', content: '', toolCalls: [{ id: 'call_0001', name: 'lookup', arguments: '{"id":"a"}' }] },
  { role: 'tool', callId: 'call_0001', name: 'lookup', content: 'found' },
];
const twoCalls: ModelMessage[] = [
  user(SECRET),
  {
    role: 'assistant',
    content: '',
    toolCalls: [
      { id: 'call_0001', name: 'lookup', arguments: '{}' },
      { id: 'call_0002', name: 'lookup', arguments: '{}' },
    ],
  },
  { role: 'tool', callId: 'call_0001', name: 'lookup', content: 'one' },
  { role: 'tool', callId: 'call_0002', name: 'lookup', content: 'two' },
];
const image: ModelMessage = {
  role: 'user',
  content: [
    { type: 'text', text: SECRET },
    { type: 'image', url: 'data:image/png;base64,iVBORw0KGgo=' },
  ],
};
const schema = { type: 'object', properties: { n: { type: 'number', minimum: 1 } } };
const asJson: ModelOptions = { responseFormat: { type: 'json_schema', name: 'answer', schema, strict: true } };

const when =
  (isRefused: (body: ChatBody) => boolean, refusal: Refusal): StrictRule =>
  (body) =>
    isRefused(body) ? refusal : undefined;
const has = (name: string, refusal: Refusal): StrictRule => when((body) => body[name] !== undefined, refusal);
const inMessages = (name: string, refusal: Refusal): StrictRule =>
  when(({ messages }) => messages.some((message) => message[name] !== undefined), refusal);
const json = (status: number, body: unknown): Refusal => ({ status, body });
const roles = ({ messages }: ChatBody): string => messages.map(({ role }) => role[0]).join('');
const toolsOf = ({ tools = [] }: ChatBody): readonly ChatTool['function'][] => tools.map((tool) => tool.function);
const contents = ({ messages }: ChatBody): readonly unknown[] => messages.map(({ content }) => content);
const detail = (name: string): object => ({
  type: 'extra_forbidden',
  loc: ['body', name],
  msg: 'Extra inputs are not permitted',
  input: SECRET,
});
const thinking = { 'chat-completions': { origin: 'HOST', reasoning: { field: 'reasoning_content', text: 'Hm.' } } };
const answered = (fields: object = {}): ModelMessage[] =>
  called.map((message) => (message.role === 'assistant' ? { ...message, ...fields } : message));

interface Row {
  readonly rules: readonly StrictRule[];
  readonly messages?: readonly ModelMessage[];
  readonly tools?: readonly ToolDeclaration[];
  readonly options?: ModelOptions;
  /** Requests of the first call. Default: two. */
  readonly requests?: number;
  readonly expected: (last: ChatBody) => void;
}

const ROWS: Readonly<Record<string, Row>> = {
  'max_tokens: OpenAI’s reasoning models': {
    rules: [
      has(
        'max_tokens',
        openAiRefusal(
          "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
          'max_tokens',
          'unsupported_parameter',
        ),
      ),
    ],
    options: { maxTokens: 64 },
    expected: (last) => expect([last['max_completion_tokens'], last['max_tokens']]).toEqual([64, undefined]),
  },
  'temperature, with all that such a model refuses': {
    rules: [
      has(
        'temperature',
        openAiRefusal(
          "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.",
          'temperature',
          'unsupported_value',
        ),
      ),
      has('top_p', openAiRefusal("Unsupported parameter: 'top_p' is not supported with this model.", 'top_p')),
    ],
    options: { temperature: 0.2, topP: 0.5, presencePenalty: 1 },
    expected: (last) =>
      expect([last['temperature'], last['top_p'], last['presence_penalty']]).toEqual([undefined, undefined, undefined]),
  },
  'temperature: Kimi': {
    rules: [has('temperature', openAiRefusal('invalid temperature: only 1 is allowed for this model', null))],
    options: { temperature: 0.2 },
    expected: (last) => expect(last['temperature']).toBeUndefined(),
  },
  'penalties: Gemini, a list, in its own words': {
    rules: [
      has(
        'presence_penalty',
        json(400, [
          { error: { code: 400, message: 'Penalty is not enabled for models/gemini-x', status: 'INVALID_ARGUMENT' } },
        ]),
      ),
    ],
    options: { presencePenalty: 0.5, temperature: 0.2 },
    expected: (last) => expect([last['presence_penalty'], last['temperature']]).toEqual([undefined, 0.2]),
  },
  'penalties in camelCase: xAI': {
    rules: [
      has(
        'presence_penalty',
        json(400, {
          code: 'Client specified an invalid argument',
          error: 'Model grok-4 does not support parameter presencePenalty.',
        }),
      ),
    ],
    options: { presencePenalty: 0.5 },
    expected: (last) => expect(last['presence_penalty']).toBeUndefined(),
  },
  'stream_options: Databricks': {
    rules: [
      has(
        'stream_options',
        json(400, { error_code: 'BAD_REQUEST', message: 'stream_options: Extra inputs are not permitted' }),
      ),
    ],
    expected: (last) => expect(last['stream_options']).toBeUndefined(),
  },
  'seed: Mistral': {
    rules: [
      has(
        'seed',
        json(422, {
          object: 'error',
          message: { detail: [detail('seed')] },
          type: 'invalid_request_error',
          code: null,
        }),
      ),
    ],
    options: { seed: 7 },
    expected: (last) => expect(last['seed']).toBeUndefined(),
  },
  'parallel_tool_calls: NIM, the text of a Python object': {
    rules: [
      has(
        'parallel_tool_calls',
        json(422, {
          error: `[{'type': 'extra_forbidden', 'loc': ('body', 'parallel_tool_calls'), 'msg': 'Extra inputs are not permitted', 'input': '${SECRET}'}]`,
        }),
      ),
    ],
    tools: [lookup],
    options: { parallelToolCalls: true },
    expected: (last) => expect(last['parallel_tool_calls']).toBeUndefined(),
  },
  'stop: xAI': {
    rules: [
      has(
        'stop',
        json(400, {
          code: 'Client specified an invalid argument',
          error: 'Argument not supported on this model: stop',
        }),
      ),
    ],
    options: { stop: ['END'] },
    expected: (last) => expect(last['stop']).toBeUndefined(),
  },
  'an error at the top level: Cerebras': {
    rules: [
      has(
        'frequency_penalty',
        json(400, {
          message: "body -> frequency_penalty: property 'frequency_penalty' is unsupported",
          type: 'invalid_request_error',
          param: 'validation_error',
          code: 'wrong_api_format',
        }),
      ),
    ],
    options: { frequencyPenalty: 0.5 },
    expected: (last) => expect(last['frequency_penalty']).toBeUndefined(),
  },
  'a body within a body: OpenRouter': {
    rules: [
      has(
        'seed',
        json(400, {
          error: {
            message: 'Provider returned error',
            code: 400,
            metadata: {
              raw: '{"error":{"message":"property \'seed\' is unsupported","param":"seed"}}',
              provider_name: 'X',
            },
          },
        }),
      ),
    ],
    options: { seed: 7 },
    expected: (last) => expect(last['seed']).toBeUndefined(),
  },
  'a body within a text: LiteLLM': {
    rules: [
      has(
        'temperature',
        json(400, {
          error: {
            message:
              "litellm.UnsupportedParamsError: openai does not support parameters: {'temperature': 0.2}, for model=o1. To drop these, set `litellm.drop_params=True`",
            type: null,
            param: null,
            code: '400',
          },
        }),
      ),
    ],
    options: { temperature: 0.2 },
    expected: (last) => expect(last['temperature']).toBeUndefined(),
  },
  'tool_choice: an object becomes required': {
    rules: [
      when(
        ({ tool_choice: choice }) => typeof choice === 'object',
        json(400, { error: "Invalid tool_choice type: 'object'. Supported string values: none, auto, required" }),
      ),
    ],
    tools: [lookup],
    options: { toolChoice: { name: 'lookup' } },
    expected: (last) => expect(last['tool_choice']).toBe('required'),
  },
  'tool_choice: forced choices while thinking': {
    rules: [
      when(
        ({ tool_choice: choice }) => choice !== undefined && choice !== 'none',
        openAiRefusal(
          '<400> InternalError.Algo.InvalidParameter: The tool_choice parameter does not support being set to required or object in thinking mode',
          null,
        ),
      ),
    ],
    tools: [lookup],
    options: { toolChoice: { name: 'lookup' } },
    expected: (last) => expect([last['tool_choice'], toolsOf(last).length]).toEqual([undefined, 1]),
  },
  'tool_choice: DeepSeek': {
    rules: [has('tool_choice', openAiRefusal('deepseek-reasoner does not support this tool_choice', null))],
    tools: [lookup],
    options: { toolChoice: 'required' },
    expected: (last) => expect(last['tool_choice']).toBeUndefined(),
  },
  'reasoning_effort with function tools: GPT-5.4': {
    rules: [
      when(
        ({ tools, reasoning_effort: effort }) => tools !== undefined && effort !== 'none',
        openAiRefusal(
          "Function tools with reasoning_effort are not supported for gpt-5.4 in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.",
          'reasoning_effort',
        ),
      ),
    ],
    tools: [lookup],
    expected: (last) => expect(last['reasoning_effort']).toBe('none'),
  },
  'reasoning_effort of a model that does not think': {
    rules: [has('reasoning_effort', openAiRefusal('Unrecognized request argument supplied: reasoning_effort', null))],
    options: { reasoningEffort: 'low' },
    expected: (last) => expect(last['reasoning_effort']).toBeUndefined(),
  },
  'response_format: limits of a schema': {
    rules: [
      when(
        (body) => JSON.stringify(body['response_format'] ?? '').includes('minimum'),
        json(400, {
          message: "Invalid fields for schema with types ['number']: {'minimum'}",
          type: 'invalid_request_error',
          param: 'response_format',
          code: 'wrong_api_format',
        }),
      ),
    ],
    options: asJson,
    expected: (last) =>
      expect(last['response_format']).toEqual({
        type: 'json_schema',
        json_schema: { name: 'answer', schema: { type: 'object', properties: { n: { type: 'number' } } } },
      }),
  },
  'response_format: DeepSeek': {
    rules: [
      when(
        (body) => (body['response_format'] as { type?: string } | undefined)?.type === 'json_schema',
        openAiRefusal('This response_format type is unavailable now', null),
      ),
      when(
        (body) => !/json/i.test(JSON.stringify(body.messages)),
        openAiRefusal("Prompt must contain the word 'json' in some form", null),
      ),
    ],
    options: asJson,
    expected: (last) => {
      expect(last['response_format']).toEqual({ type: 'json_object' });
      expect(last.messages[0]).toEqual({ role: 'system', content: expect.stringContaining(JSON.stringify(schema)) });
    },
  },
  'response_format: any object as a schema, LM Studio': {
    rules: [
      when(
        (body) => (body['response_format'] as { type?: string } | undefined)?.type === 'json_object',
        json(400, { error: "'response_format.type' must be 'json_schema' or 'text'" }),
      ),
    ],
    options: { responseFormat: { type: 'json_object' } },
    expected: (last) =>
      expect(last['response_format']).toMatchObject({
        type: 'json_schema',
        json_schema: { schema: { type: 'object' } },
      }),
  },
  'response_format: in words only': {
    rules: [has('response_format', openAiRefusal('response_format is not supported by this model', 'response_format'))],
    options: asJson,
    requests: 3,
    expected: (last) => expect(contents(last)[0]).toContain(JSON.stringify(schema)),
  },
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
  'several calls in a message: Llama 3': {
    rules: [
      when(
        ({ messages }) => messages.some(({ tool_calls: calls = [] }) => calls.length > 1),
        json(500, {
          error: { code: 500, message: 'This model only supports single tool-calls at once!', type: 'server_error' },
        }),
      ),
    ],
    messages: twoCalls,
    tools: [lookup],
    expected: (last) => expect(roles(last)).toBe('uatat'),
  },
  'ids of calls: Mistral': {
    rules: [
      when(
        ({ messages }) =>
          messages.some(({ tool_call_id: id }) => id !== undefined && !/^[a-zA-Z0-9]{9}$/.test(id as string)),
        json(400, {
          object: 'error',
          message: 'Tool call id was call_0001 but must be a-z, A-Z, 0-9, with a length of 9.',
          type: 'invalid_request_message_order',
          code: '3280',
        }),
      ),
    ],
    messages: [
      user('x'),
      ...answered()
        .slice(1)
        .map((one) => JSON.parse(JSON.stringify(one).replaceAll('call_0001', 'call_00001')) as ModelMessage),
    ],
    tools: [lookup],
    expected: (last) => {
      expect(last.messages[2]?.['tool_call_id']).toMatch(/^[a-zA-Z0-9]{9}$/);
      expect(last.messages[1]?.tool_calls?.[0]?.id).toBe(last.messages[2]?.['tool_call_id']);
    },
  },
  'the schema of a tool, by name: OpenAI': {
    rules: [
      when(
        (body) =>
          toolsOf(body).some(
            ({ name, parameters }) => name === 'second' && JSON.stringify(parameters).includes('pattern'),
          ),
        openAiRefusal(
          "Invalid schema for function 'second': In context=('properties', 'id'), schema must not have 'pattern'.",
          'tools[1].function.parameters',
          'invalid_function_parameters',
        ),
      ),
    ],
    tools: [lookup, second],
    expected: (last) =>
      expect(toolsOf(last).map(({ parameters }) => parameters)).toEqual([
        lookup.parameters,
        { type: 'object', properties: {} },
      ]),
  },
  'the schema of a tool, by its place: Gemini': {
    rules: [
      when(
        (body) =>
          toolsOf(body).some(
            ({ name, parameters }) => name === 'second' && JSON.stringify(parameters).includes('pattern'),
          ),
        json(400, [
          {
            error: {
              code: 400,
              message:
                'Invalid JSON payload received. Unknown name "pattern" at \'tools[0].function_declarations[1].parameters.properties[0].value\': Cannot find field.',
            },
          },
        ]),
      ),
    ],
    tools: [lookup, second],
    expected: (last) =>
      expect(toolsOf(last).map(({ parameters }) => parameters)).toEqual([
        lookup.parameters,
        { type: 'object', properties: {} },
      ]),
  },
  'a tool that is refused however it is written': {
    rules: [
      when(
        (body) => toolsOf(body).some(({ name }) => name === 'second'),
        openAiRefusal("Invalid 'tools[1].function.parameters': unsupported tool.", 'tools[1].function.parameters'),
      ),
    ],
    tools: [lookup, second],
    requests: 3,
    expected: (last) => expect(toolsOf(last).map(({ name }) => name)).toEqual(['lookup']),
  },
  'more and more tools': {
    rules: [
      (body) => {
        const at = toolsOf(body).findIndex(({ parameters }) => JSON.stringify(parameters).includes('pattern'));
        return at < 0
          ? undefined
          : openAiRefusal(
              `Invalid schema for function '${toolsOf(body)[at]?.name}'`,
              `tools[${at}].function.parameters`,
            );
      },
    ],
    tools: ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => ({ ...lookup, name: `tool_${name}` })),
    requests: 4,
    expected: (last) => expect(toolsOf(last)).toHaveLength(6),
  },
  'tools: Ollama': {
    rules: [
      has(
        'tools',
        json(400, {
          error: {
            message: 'registry.ollama.ai/library/gemma:latest does not support tools',
            type: 'api_error',
            param: null,
            code: null,
          },
        }),
      ),
    ],
    messages: called,
    tools: [lookup],
    expected: (last) => {
      expect([last.tools, roles(last)]).toEqual([undefined, 'uau']);
      expect(JSON.stringify(last.messages)).toContain('found');
    },
  },
  'tools: vLLM without its flags': {
    rules: [
      has(
        'tools',
        json(400, {
          object: 'error',
          message: '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
          type: 'BadRequestError',
          param: null,
          code: 400,
        }),
      ),
    ],
    tools: [lookup],
    expected: (last) => expect(last.tools).toBeUndefined(),
  },
  'tools: OpenRouter, status 404': {
    rules: [
      has(
        'tools',
        json(404, {
          error: {
            message: 'No endpoints found that support tool use. To learn more about provider routing, visit: https://x',
            code: 404,
          },
        }),
      ),
    ],
    tools: [lookup],
    expected: (last) => expect(last.tools).toBeUndefined(),
  },
  'tools that are needed: LiteLLM': {
    rules: [
      when(
        ({ tools, messages }) => tools === undefined && messages.some(({ role }) => role === 'tool'),
        json(400, {
          error: {
            message:
              'litellm.UnsupportedParamsError: Anthropic expects the `tools=` param to be passed in for tool calls. Pass `tools=` param or set `litellm.modify_params = True`',
            type: null,
            param: null,
            code: '400',
          },
        }),
      ),
    ],
    messages: called,
    expected: (last) => expect([toolsOf(last).length, last['tool_choice']]).toEqual([1, 'none']),
  },
  'images: a model without eyes': {
    rules: [
      when(
        (body) => JSON.stringify(contents(body)).includes('image_url'),
        json(404, { error: { message: 'No endpoints found that support image input', code: 404 } }),
      ),
    ],
    messages: [image],
    expected: (last) => expect(contents(last)[0]).toContain('[The user sent an image, which this model cannot see.]'),
  },
  'content that must be a string': {
    rules: [
      when(
        (body) => contents(body).some(Array.isArray),
        openAiRefusal("'messages.0.content' : value must be a string", null),
      ),
    ],
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
    ],
    expected: (last) => expect(contents(last)).toEqual(['a\nb']),
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

describe('repairs of refused requests (contract model-servers, section 1.4)', () => {
  let server: StrictServer | undefined;
  let lines: string[];

  beforeEach(() => {
    waits.length = 0;
    lines = [];
  });
  afterEach(() => server?.close());

  /** State of this server, whatever its port. */
  const own = (messages: readonly ModelMessage[], url: string): ModelMessage[] =>
    JSON.parse(JSON.stringify(messages).replaceAll('"HOST"', JSON.stringify(new URL(url).host))) as ModelMessage[];

  it.each(Object.entries(ROWS))(
    '%s',
    async (_, { rules, messages = [user(SECRET)], tools, options, requests = 2, expected }) => {
      server = await strictServer(...rules);
      const client = clientFor(server.url, {}, (line) => lines.push(line));
      const asked = request(own(messages, server.url), tools, options);
      expect((await collect(client, asked)).text).toBe('ok');
      expect(server.seen).toHaveLength(requests);
      expected(server.seen.at(-1) as ChatBody);
      const repairs = lines.filter((line) => line.includes('refused'));
      expect(repairs).toHaveLength(requests - 1);
      expect(lines.join()).not.toMatch(/launch code|0000|sk-/);
      expect(client.info.profile?.repairs).toHaveLength(requests - 1);

      expect((await collect(client, asked)).text).toBe('ok');
      expect(server.seen).toHaveLength(requests + 1);
      expected(server.seen.at(-1) as ChatBody);
      expect(lines.filter((line) => line.includes('refused'))).toHaveLength(requests - 1);
      expect(waits).toEqual([]);
    },
  );

  it('a chain of refusals is repaired with four more requests, and the next call needs none', async () => {
    const names = ['seed', 'stop', 'temperature', 'stream_options'];
    server = await strictServer(
      ...names.map((name) => has(name, openAiRefusal(`Unknown parameter: '${name}'.`, name))),
    );
    const client = clientFor(server.url, { maxRetries: 0 }, (line) => lines.push(line));
    const asked = request('hi', [], { seed: 1, stop: ['x'], temperature: 0.5 });
    expect((await collect(client, asked)).text).toBe('ok');
    expect(server.seen).toHaveLength(5);
    await collect(client, asked);
    expect(server.seen).toHaveLength(6);
  });

  it('the first refusal is reported if nothing helps, and nothing is remembered', async () => {
    let count = 0;
    server = await strictServer((body) => {
      count += 1;
      const name = Object.keys(body).find((key) => ['seed', 'stop', 'temperature'].includes(key));
      return openAiRefusal(`Unknown parameter: '${name ?? 'messages'}', upstream words ${count} ${KEY}`, name ?? null);
    });
    const client = clientFor(server.url, {}, (line) => lines.push(line));
    const { error } = await failureOf(client, request('hi', [], { seed: 1, stop: ['x'] }));
    const { cause } = expectError(error, 'MODEL_EXECUTION_FAILED');
    expect(String(cause)).toContain('upstream words 1 [key]');
    expect(server.seen).toHaveLength(3);
    expect([lines, client.info.profile?.repairs]).toEqual([[], []]);
  });

  it('a call makes at most four repairs', async () => {
    server = await strictServer((body) => {
      const name = Object.keys(body).find((key) => !['model', 'messages', 'stream'].includes(key));
      return openAiRefusal(`Unknown parameter: '${name ?? 'messages'}'.`, name ?? 'messages');
    });
    const options = { seed: 1, stop: ['x'], temperature: 1, maxTokens: 5, presencePenalty: 1, reasoningEffort: 'low' };
    await failureOf(clientFor(server.url), request('hi', [], options));
    expect(server.seen.length).toBeLessThanOrEqual(5);
  });

  it.each<[string, Refusal, number]>([
    ['a key', json(401, { error: { message: "Unsupported parameter: 'max_tokens'" } }), 1],
    ['money', json(402, { error: { message: "Unsupported parameter: 'max_tokens'" } }), 1],
    ['a right', json(403, { error: { message: "Unsupported parameter: 'max_tokens'" } }), 1],
    ['a filter', openAiRefusal("The response was filtered: 'max_tokens' is invalid", null, 'content_filter'), 1],
    [
      'the length',
      openAiRefusal("This model's maximum context length is 10 tokens, invalid 'max_tokens'", 'max_tokens'),
      1,
    ],
    [
      'an unknown model',
      json(404, { error: { message: 'The model `demo` does not exist', code: 'model_not_found' } }),
      1,
    ],
    [
      'the value of a limit',
      openAiRefusal(
        'max_tokens is too large: 64. This model supports at most 8 completion tokens',
        'max_tokens',
        'invalid_value',
      ),
      1,
    ],
  ])('what is about %s is not repaired', async (_, refusal, requests) => {
    server = await strictServer(() => refusal);
    await failureOf(clientFor(server.url), request('hi', [], { maxTokens: 64 }));
    expect(server.seen).toHaveLength(requests);
    expect(waits).toEqual([]);
  });

  it('a 500 that is no template is retried with back-off as before', async () => {
    server = await strictServer(() => json(500, { error: { message: "internal: invalid 'max_tokens'" } }));
    await failureOf(clientFor(server.url), request('hi', [], { maxTokens: 64 }));
    expect([server.seen.length, waits]).toEqual([3, [375, 750]]);
  });

  it('an error in the place of the first event is a refusal: MiniMax', async () => {
    const answers: string[] = [
      '{"base_resp":{"status_code":2013,"status_msg":"invalid params, unknown parameter: seed"}}',
    ];
    server = await strictServer((body) =>
      body['seed'] === undefined ? undefined : { status: 200, body: JSON.parse(answers[0] ?? '') as unknown },
    );
    expect((await collect(clientFor(server.url), request('hi', [], { seed: 1 }))).text).toBe('ok');
    expect(server.seen).toHaveLength(2);
  });

  it('models are remembered apart', async () => {
    server = await strictServer((body) =>
      body['model'] === 'old' ? has('seed', openAiRefusal("Unknown parameter: 'seed'", 'seed'))(body, '') : undefined,
    );
    const client = clientFor(server.url);
    await collect(client, request('hi', [], { seed: 1, model: 'old' }));
    await collect(client, request('hi', [], { seed: 1, model: 'new' }));
    expect(server.seen.map(({ seed }) => seed)).toEqual([1, undefined, 1]);
  });

  it('what was learned is shown as the setting that makes it unnecessary', async () => {
    server = await strictServer(ROWS['max_tokens: OpenAI’s reasoning models']?.rules[0] as StrictRule);
    const client = clientFor(server.url);
    await collect(client, request('hi', [], { maxTokens: 64 }));
    expect(client.info.profile?.overrides).toEqual({ limit: 'max_completion_tokens' });
    const other = clientFor(server.url, { overrides: { limit: 'max_completion_tokens' } });
    await collect(other, request('hi', [], { maxTokens: 64 }));
    expect(server.seen).toHaveLength(3);
  });
});
