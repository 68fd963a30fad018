import { StartupError } from '../../../../common/index.js';
import { FAMILY_PROFILES } from './family-profiles.js';
import { chooseProfile } from './profile-choice.js';
import { ruleOverrides } from './rule-overrides.js';
import { SERVER_PROFILES } from './server-profiles.js';
import { GENERIC_RULES, overridden, type RuleChange, type RuleSet, ruleSetOf } from './wire-rules.js';

const LOCAL = '127.0.0.1';
const nameOf = (hostname: string, model: string, more: object = {}): string =>
  chooseProfile({ hostname, model, ...more }).name;

describe('chooseProfile', () => {
  it.each([
    ['api.openai.com', 'gpt-4o-mini', 'openai'],
    ['api.openai.com', 'gpt-5-mini', 'openai+gpt-5'],
    ['api.openai.com', 'gpt-5.2', 'openai+gpt-5.1'],
    ['api.openai.com', 'gpt-5.4-mini', 'openai+gpt-5.4'],
    ['api.openai.com', 'o4-mini', 'openai+gpt-5'],
    ['API.OpenAI.com', 'computer-use', 'openai'],
    ['me.openai.azure.com', 'prod', 'azure'],
    ['api.deepseek.com', 'deepseek-v4', 'deepseek'],
    ['api.deepseek.com', 'deepseek-reasoner', 'deepseek+deepseek-r1'],
    ['api.deepseek.com', 'deepseek-chat', 'deepseek+deepseek-v3'],
    [LOCAL, 'DeepSeek-R1-Distill-Qwen-7B', 'deepseek-r1'],
    ['api.moonshot.ai', 'kimi-k2.5', 'kimi'],
    ['dashscope-intl.aliyuncs.com', 'qwen-plus', 'dashscope'],
    ['coding-intl.dashscope.aliyuncs.com', 'qwen3-coder-plus', 'dashscope'],
    ['api.z.ai', 'glm-5', 'zhipu'],
    ['open.bigmodel.cn', 'glm-4.6', 'zhipu'],
    ['api.minimax.io', 'MiniMax-M2', 'minimax'],
    ['generativelanguage.googleapis.com', 'gemini-3-pro', 'gemini'],
    ['europe-west1-aiplatform.googleapis.com', 'google/gemini-3-pro', 'gemini'],
    ['openrouter.ai', 'anthropic/claude-sonnet-4.5', 'openrouter+claude'],
    ['openrouter.ai', 'google/gemini-3-pro', 'openrouter+gemini'],
    ['openrouter.ai', 'meta/unknown', 'openrouter'],
    ['api.groq.com', 'openai/gpt-oss-120b', 'groq+gpt-oss'],
    ['api.mistral.ai', 'mistral-large-latest', 'mistral'],
    ['api.together.xyz', 'moonshotai/Kimi-K2', 'together'],
    ['api.fireworks.ai', 'accounts/fireworks/models/x', 'fireworks'],
    ['api.x.ai', 'grok-4', 'xai'],
    ['api.cerebras.ai', 'zai-glm-4.6', 'cerebras'],
    ['api.perplexity.ai', 'sonar', 'perplexity'],
    ['integrate.api.nvidia.com', 'mistralai/mistral-small', 'nim+mistral'],
    ['dbc-1.cloud.databricks.com', 'databricks-claude-sonnet-4', 'databricks+claude'],
    ['bedrock-runtime.us-west-2.amazonaws.com', 'openai.gpt-oss-120b-1:0', 'bedrock+gpt-oss'],
    ['api.anthropic.com', 'claude-sonnet-4-5', 'anthropic'],
    [LOCAL, 'Qwen/Qwen3.5-32B', 'qwen3'],
    [LOCAL, 'gemma3:27b', 'gemma'],
    [LOCAL, 'gemma-2-9b-it', 'gemma-2'],
    [LOCAL, 'devstral', 'mistral'],
    [LOCAL, 'gpt-4o-mini', 'gpt-4'],
    [LOCAL, 'demo', 'generic'],
  ])('%s with %s: %s', (hostname, model, name) => {
    expect(nameOf(hostname, model)).toBe(name);
  });

  it('the setting comes first, then the host, the model and the owner', () => {
    const clues = { hostname: 'api.groq.com', model: 'gpt-5', ownedBy: 'vllm' };
    expect(chooseProfile({ ...clues, named: 'kimi' })).toMatchObject({ name: 'kimi', reason: 'LLM_PROFILE' });
    expect(chooseProfile(clues).reason).toBe('the host api.groq.com');
    expect(chooseProfile({ ...clues, hostname: LOCAL }).reason).toBe('the model name gpt-5');
    expect(chooseProfile({ ...clues, hostname: LOCAL, model: 'demo' })).toMatchObject({
      name: 'vllm',
      reason: 'the owner vllm in its list of models',
    });
    expect(chooseProfile({ hostname: LOCAL, model: 'demo', ownedBy: 'me' }).name).toBe('generic');
  });

  it.each([
    ['azure', 'gpt-5', 'azure+gpt-5'],
    ['azure+gpt-5', 'prod', 'azure+gpt-5'],
    ['gpt-5', 'prod', 'gpt-5'],
    ['generic', 'gpt-5', 'generic'],
    ['vllm', 'demo', 'vllm'],
  ])('LLM_PROFILE=%s with %s: %s', (named, model, name) => {
    expect(nameOf(LOCAL, model, { named })).toBe(name);
  });

  it.each(['openAI', 'gpt-5+azure', 'vllm+', 'x'])(
    'LLM_PROFILE=%s is refused with the names that there are',
    (named) => {
      const choose = (): unknown => chooseProfile({ hostname: LOCAL, model: 'demo', named });
      expect(choose).toThrow(StartupError);
      expect(choose).toThrow(/generic, a server \(openai, azure.*family \(.*gpt-5/);
    },
  );

  it('what a server and a family leave out is left out, and the server decides about the rest', () => {
    const { rules } = chooseProfile({ hostname: 'x.cloud.databricks.com', model: 'databricks-gpt-5.1' });
    expect(rules.withoutThinking.omit).toEqual(expect.arrayContaining(['frequency_penalty', 'seed']));
    expect(rules.omit).toEqual(expect.arrayContaining(['temperature', 'seed', 'parallel_tool_calls']));
    expect(rules.limit).toBe('max_tokens');
  });

  it('LLM_COMPAT replaces rules of the profile', () => {
    const { rules } = chooseProfile({ hostname: 'api.openai.com', model: 'gpt-5', overrides: { omit: ['seed'] } });
    expect([rules.omit, rules.limit]).toEqual([['seed'], 'max_completion_tokens']);
  });

  it('LLM_COMPAT holds with and without thinking, unless it says otherwise for that', () => {
    const rulesOf = (hostname: string, overrides: RuleChange): RuleSet =>
      ruleSetOf(chooseProfile({ hostname, model: 'qwen-plus', overrides }).rules, {});
    const dashscope = rulesOf('dashscope.aliyuncs.com', { toolChoices: ['none', 'named'] });
    expect(dashscope.thinking.toolChoices).toEqual(['none', 'named']);
    expect(dashscope.thinking.jsonSchema).toBe('text');
    const all = { toolChoices: ['none', 'named'], withThinking: { toolChoices: ['required'] } } as const;
    const own = rulesOf('dashscope.aliyuncs.com', all);
    expect([own.usual.toolChoices, own.thinking.toolChoices]).toEqual([['none', 'named'], ['required']]);
    expect(own.thinking.jsonSchema).toBe('full');
    const { rules } = chooseProfile({ hostname: LOCAL, model: 'gpt-5.2', overrides: { omit: [] } });
    expect(ruleSetOf(rules, {}).quiet.omit).toEqual([]);
  });
});

describe('the tables of profiles', () => {
  const changes = [
    ...SERVER_PROFILES.map(({ name, rules }) => [name, rules] as const),
    ...FAMILY_PROFILES.flatMap(({ name, rules, template }) => [[name, rules] as const, [name, template] as const]),
  ];

  it('every name is there once', () => {
    const names = [...SERVER_PROFILES, ...FAMILY_PROFILES].map(({ name }) => name);
    const both = names.filter((name, at) => names.indexOf(name) !== at);
    // A vendor with one family has both.
    expect(both).toEqual(['deepseek', 'kimi', 'mistral', 'gemini']);
    expect(SERVER_PROFILES.length).toBeGreaterThanOrEqual(25);
  });

  it.each(changes)('%s has only what LLM_COMPAT may have, and is JSON', (_, rules) => {
    expect(ruleOverrides(JSON.parse(JSON.stringify(rules)))).toEqual(rules);
  });
});

describe('ruleOverrides', () => {
  it('the generic rules may all be written', () => {
    expect(overridden(GENERIC_RULES, ruleOverrides(JSON.parse(JSON.stringify(GENERIC_RULES))))).toEqual(GENERIC_RULES);
  });

  it.each([
    [[], 'it must be a JSON object'],
    [{ max_tokens: true }, '"max_tokens" is no rule (there are limit, streamUsage'],
    [{ limit: 'max' }, 'limit must be one of max_tokens, max_completion_tokens'],
    [{ streamUsage: 'yes' }, 'streamUsage must be true or false'],
    [{ omit: 'seed' }, 'omit must be a list of texts'],
    [{ rename: { seed: 1 } }, 'rename must be an object of texts'],
    [{ effort: { '*': 'x' } }, 'effort must be an object of objects'],
    [{ toolChoices: ['auto'] }, 'toolChoices must be a list of none, required, named'],
    [{ maxTools: 1.5 }, 'maxTools must be a whole number'],
    [{ withThinking: { limit: 1 } }, 'withThinking must be an object of rules'],
    [{ limit: 1, tools: 1 }, 'limit must be one of max_tokens, max_completion_tokens; tools must be true or false'],
  ])('%j is refused: %s', (value, message) => {
    expect(() => ruleOverrides(value)).toThrow(StartupError);
    expect(() => ruleOverrides(value)).toThrow(message);
  });
});
