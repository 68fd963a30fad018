import type { ServerDouble } from './server-doubles.js';

const PENALTIES = ['frequency_penalty', 'presence_penalty'];
const SAMPLING = ['temperature', 'top_p', ...PENALTIES];
const CALLS = ['tool_calls', 'tool_call_id'];

/** The servers whose requests are known (contract model-servers, sections 1.1 and 1.2). */
export const KNOWN_SERVERS: Readonly<Record<string, ServerDouble>> = {
  'OpenAI, GPT-4.1': {
    host: 'api.openai.com',
    model: 'gpt-4.1',
    knows: [
      'max_completion_tokens',
      'max_tokens',
      'stream_options',
      'parallel_tool_calls',
      'seed',
      'reasoning_effort',
      ...PENALTIES,
    ],
    checks: ['shortIds'],
  },
  'OpenAI, GPT-5': {
    host: 'api.openai.com',
    model: 'gpt-5-mini',
    knows: ['max_completion_tokens', 'stream_options', 'parallel_tool_calls', 'seed', 'reasoning_effort'],
    refuses: SAMPLING,
    checks: ['shortIds'],
  },
  'OpenAI, GPT-5.4': {
    host: 'api.openai.com',
    model: 'gpt-5.4',
    knows: ['max_completion_tokens', 'stream_options', 'parallel_tool_calls', 'seed', 'reasoning_effort'],
    more: (body) => {
      const isThinking = body['reasoning_effort'] !== 'none';
      if (body.tools && isThinking) return 'Function tools with reasoning_effort are not supported';
      return isThinking && SAMPLING.some((name) => name in body) ? 'Unsupported sampling' : undefined;
    },
  },
  'Azure OpenAI, GPT-5': {
    host: 'x.openai.azure.com',
    model: 'gpt-5',
    refuses: ['max_tokens', ...SAMPLING],
    checks: ['shortIds'],
  },
  DeepSeek: {
    host: 'api.deepseek.com',
    model: 'deepseek-v4',
    refuses: ['max_completion_tokens'],
    choices: ['auto', 'none'],
    formats: ['text', 'json_object'],
    checks: ['strings', 'thoughtsBack'],
  },
  'DeepSeek, R1': {
    host: 'api.deepseek.com',
    model: 'deepseek-reasoner',
    refuses: ['max_completion_tokens'],
    choices: ['auto', 'none'],
    formats: ['text', 'json_object'],
    checks: ['strings', 'thoughtsOfTurn'],
  },
  'DeepSeek, V3': {
    host: 'api.deepseek.com',
    model: 'deepseek-chat',
    refuses: ['max_completion_tokens'],
    formats: ['text', 'json_object'],
    checks: ['strings'],
    more: (body) =>
      body['thinking'] && !['none', undefined].includes(body['tool_choice'] as string | undefined)
        ? 'deepseek-reasoner does not support this tool_choice'
        : undefined,
  },
  Kimi: {
    host: 'api.moonshot.ai',
    model: 'kimi-k2.5',
    refuses: ['max_completion_tokens', 'temperature', 'top_p'],
    checks: ['strings', 'noEmptyAssistant', 'thoughtsBack'],
    more: (body) => {
      if (JSON.stringify(body['response_format'] ?? '').includes('$schema')) return 'keyword $schema';
      return body['thinking'] && body['reasoning_effort'] ? 'thinking and reasoning_effort' : undefined;
    },
  },
  'Qwen of DashScope': {
    host: 'dashscope.aliyuncs.com',
    model: 'qwen3-max',
    refuses: ['max_completion_tokens'],
    checks: ['systemFirst'],
    more: (body) => {
      if (body['enable_thinking'] !== true) return undefined;
      if (body['response_format']) return 'Json mode response is not supported when enable_thinking is true';
      return body['tool_choice'] && body['tool_choice'] !== 'none' ? 'tool_choice in thinking mode' : undefined;
    },
  },
  Zhipu: {
    host: 'open.bigmodel.cn',
    model: 'glm-5',
    refuses: ['max_completion_tokens', 'stream_options', 'parallel_tool_calls', ...PENALTIES],
    choices: ['auto'],
    formats: ['text', 'json_object'],
    checks: ['systemFirst', 'strings', 'allStrings', 'thoughtsOfLastCalls'],
  },
  MiniMax: {
    host: 'api.minimax.io',
    model: 'MiniMax-M2',
    refuses: ['max_tokens', 'parallel_tool_calls', 'tool_choice'],
    checks: ['systemFirst', 'strings', 'allStrings', 'detailsBack'],
    more: (body) => (body['reasoning_split'] === true ? undefined : 'reasoning_split is not asked for'),
  },
  Gemini: {
    host: 'generativelanguage.googleapis.com',
    model: 'gemini-3-pro',
    refuses: PENALTIES,
    messageMembers: [...CALLS, 'name'],
    checks: ['systemFirst', 'resultNames', 'noBlanks', 'dataUrls', 'signaturesBack'],
  },
  'OpenRouter, Claude': {
    host: 'openrouter.ai',
    model: 'anthropic/claude-sonnet-4.5',
    refuses: ['stream_options', 'reasoning_effort'],
    checks: ['systemFirst', 'noBlanks', 'detailsBack'],
  },
  Groq: {
    host: 'api.groq.com',
    model: 'openai/gpt-oss-120b',
    knows: ['max_tokens', 'stream_options', 'parallel_tool_calls', 'seed', 'reasoning_effort', ...PENALTIES],
    messageMembers: [...CALLS, 'reasoning'],
    checks: ['strings'],
    more: ({ messages }) =>
      messages.some(({ tool_calls: calls }) => calls?.some((call) => 'extra_content' in call))
        ? 'extra keys'
        : undefined,
  },
  Mistral: {
    host: 'api.mistral.ai',
    model: 'magistral-medium-latest',
    knows: ['max_tokens', 'parallel_tool_calls', 'random_seed', 'reasoning_effort', ...PENALTIES],
    choices: ['auto', 'none', 'any', 'named'],
    messageMembers: CALLS,
    checks: ['systemFirst', 'noUserAfterTool', 'nineCharacters', 'noEmptyAssistant', 'partsBack'],
  },
  Together: {
    host: 'api.together.xyz',
    model: 'moonshotai/Kimi-K2',
    refuses: ['max_completion_tokens', 'reasoning_effort'],
  },
  Fireworks: {
    host: 'api.fireworks.ai',
    model: 'accounts/fireworks/models/glm',
    knows: ['max_tokens', 'stream_options', 'seed', 'reasoning_effort', ...PENALTIES],
  },
  xAI: {
    host: 'api.x.ai',
    model: 'grok-4',
    refuses: ['max_tokens', 'stop', ...PENALTIES],
  },
  Cerebras: {
    host: 'api.cerebras.ai',
    model: 'zai-glm-4.6',
    knows: ['max_completion_tokens', 'stream_options', 'parallel_tool_calls', 'seed', 'reasoning_effort'],
    messageMembers: [...CALLS, 'reasoning'],
    checks: ['strings'],
    more: (body) =>
      /"(pattern|format|minItems|minimum)"/.test(JSON.stringify(body['response_format'] ?? ''))
        ? 'Invalid fields for schema'
        : undefined,
  },
  Perplexity: {
    host: 'api.perplexity.ai',
    model: 'sonar-pro',
    refuses: ['tools', 'tool_choice', 'stream_options', 'max_completion_tokens'],
    formats: ['json_schema'],
    checks: ['systemFirst', 'alternate', 'lastIsUser'],
    more: ({ messages }) => (messages.some(({ tool_calls: calls }) => calls) ? 'tool calls' : undefined),
  },
  'NVIDIA NIM, Mistral': {
    host: 'integrate.api.nvidia.com',
    model: 'mistralai/mistral-small-4',
    knows: ['max_tokens', 'stream_options', 'seed'],
    checks: ['systemFirst', 'alternate', 'nineCharacters'],
  },
  'Databricks, Claude': {
    host: 'dbc-1.cloud.databricks.com',
    model: 'databricks-claude-sonnet-4',
    knows: ['max_tokens', 'reasoning_effort'],
    messageMembers: CALLS,
    checks: ['systemFirst', 'singleCalls', 'noBlanks', 'toolsForCalls'],
  },
  'Bedrock, gpt-oss': {
    host: 'bedrock-runtime.us-west-2.amazonaws.com',
    model: 'openai.gpt-oss-120b-1:0',
    knows: ['max_tokens', 'stream_options', 'parallel_tool_calls', 'seed', 'reasoning_effort', ...PENALTIES],
    messageMembers: CALLS,
  },
  'Anthropic, compatible': {
    host: 'api.anthropic.com',
    model: 'claude-sonnet-4-5',
    refuses: ['response_format'],
    checks: ['systemFirst', 'noBlanks', 'toolsForCalls'],
  },
  'vLLM, Mistral': {
    host: 'vllm',
    model: 'mistralai/Devstral-Small',
    refuses: ['chat_template_kwargs'],
    checks: ['systemFirst', 'alternate', 'nineCharacters'],
  },
  'vLLM, Qwen 3.5': {
    ownedBy: 'vllm',
    model: 'Qwen/Qwen3.5-32B',
    checks: ['systemFirst'],
  },
  SGLang: { host: 'sglang', model: 'demo', refuses: ['max_completion_tokens'] },
  'llama.cpp, gpt-oss': { host: 'llamacpp', model: 'gpt-oss-20b', checks: ['crowded'] },
  'llama.cpp, Gemma 2': { host: 'llamacpp', model: 'gemma-2-9b-it', checks: ['noSystem', 'alternate'] },
  Ollama: {
    ownedBy: 'library',
    model: 'demo',
    refuses: ['max_completion_tokens', 'tool_choice'],
    checks: ['dataUrls'],
  },
  'LM Studio': {
    ownedBy: 'organization_owner',
    model: 'demo',
    choices: ['auto', 'none', 'required'],
    formats: ['text', 'json_schema'],
  },
  'LiteLLM, Claude': {
    host: 'litellm',
    model: 'claude-sonnet-4-5',
    checks: ['systemFirst', 'noBlanks', 'toolsForCalls'],
  },
  'Llama 3 at any address': { model: 'Meta-Llama-3.3-70B-Instruct', checks: ['systemFirst', 'singleCalls'] },
};
