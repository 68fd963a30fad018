import type { ModelMessage } from '../../../ports/model-client.js';
import { user } from '../../testing/collect.js';
import {
  itRepairs,
  type RepairRows,
  lookup,
  second,
  called,
  twoCalls,
  when,
  has,
  json,
  roles,
  toolsOf,
  answered,
} from '../../testing/repair-cases.js';
import { openAiRefusal } from '../../testing/strict-server.js';

const ROWS: RepairRows = {
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
};

describe('repairs of refused requests about tools (contract model-servers, section 1.4)', () => {
  itRepairs(ROWS);
});
