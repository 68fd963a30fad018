import { itRepairs, type RepairRows, SECRET, lookup, when, has, json, detail } from '../../testing/repair-cases.js';
import { openAiRefusal } from '../../testing/strict-server.js';

const ROWS: RepairRows = {
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
};

describe('repairs of refused requests about members of the body (contract model-servers, section 1.4)', () => {
  itRepairs(ROWS);
});
