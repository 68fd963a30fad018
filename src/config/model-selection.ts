import { type ConfigurationProblem } from './configuration-error.js';
import { type Environment } from './environment.js';

/** Which model server is called, and as what. */
export interface ModelSelection {
  readonly kind: 'offline' | 'openai-compatible';
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly model: string;
  readonly problems: readonly ConfigurationProblem[];
  readonly warnings: readonly string[];
}

type ModelVariables = Pick<
  Environment,
  'LLM_BASE_URL' | 'LLM_API_KEY' | 'LLM_MODEL' | 'DASHSCOPE_API_KEY' | 'OPENAI_API_KEY' | 'SAMPLES'
>;

interface Provider {
  readonly variable: 'DASHSCOPE_API_KEY' | 'OPENAI_API_KEY';
  readonly baseUrl: string;
  readonly model: string;
  readonly ownsHost: RegExp;
}

/** In order of preference when several keys are set. */
const PROVIDERS: readonly Provider[] = [
  {
    variable: 'DASHSCOPE_API_KEY',
    baseUrl: 'https://dashscope.aliyuncs.com/compatible-mode/v1',
    model: 'qwen-plus',
    ownsHost: /(^|\.)aliyuncs\.com$/,
  },
  {
    variable: 'OPENAI_API_KEY',
    baseUrl: 'https://api.openai.com/v1',
    model: 'gpt-4o-mini',
    ownsHost: /(^|\.)openai\.com$/,
  },
];
const DEFAULT_MODEL = 'gpt-4o-mini';
const OFFLINE_MODEL = 'offline-demo';

/**
 * Chooses the model server. `LLM_*` win; a provider key alone chooses its provider. If nothing is set,
 * the offline demo model is chosen; with `SAMPLES=off` that is a problem. A provider key is never sent
 * to a host that is not its provider's.
 */
export function selectModel(env: ModelVariables): ModelSelection {
  if (env.LLM_BASE_URL !== undefined) return selectByAddress(env, env.LLM_BASE_URL);
  const provider = PROVIDERS.find(({ variable }) => env[variable] !== undefined);
  if (provider === undefined) return selectOffline(env);
  const others = PROVIDERS.filter(({ variable }) => variable !== provider.variable && env[variable] !== undefined);
  return {
    kind: 'openai-compatible',
    baseUrl: provider.baseUrl,
    apiKey: env.LLM_API_KEY ?? env[provider.variable],
    model: env.LLM_MODEL ?? provider.model,
    problems: [],
    warnings: others.map(({ variable }) => `${variable} is not used, because ${provider.variable} is set too.`),
  };
}

function selectByAddress(env: ModelVariables, address: string): ModelSelection {
  const hostname = URL.canParse(address) ? new URL(address).hostname : '';
  const owner = PROVIDERS.find(({ ownsHost }) => ownsHost.test(hostname));
  const warnings: string[] = [];
  if (env.LLM_MODEL === undefined && owner === undefined) {
    warnings.push(`LLM_MODEL is not set: ${DEFAULT_MODEL} is asked for at LLM_BASE_URL.`);
  }
  for (const { variable } of PROVIDERS) {
    if (env[variable] !== undefined && variable !== owner?.variable) {
      warnings.push(`${variable} is not used, because LLM_BASE_URL is the address of another server.`);
    }
  }
  return {
    kind: 'openai-compatible',
    baseUrl: address.replace(/\/+$/, ''),
    apiKey: env.LLM_API_KEY ?? (owner === undefined ? undefined : env[owner.variable]),
    model: env.LLM_MODEL ?? owner?.model ?? DEFAULT_MODEL,
    problems: [],
    warnings,
  };
}

function selectOffline(env: ModelVariables): ModelSelection {
  return {
    kind: 'offline',
    baseUrl: '',
    apiKey: undefined,
    model: OFFLINE_MODEL,
    problems: offlineProblems(env),
    warnings: env.LLM_MODEL === undefined ? [] : ['LLM_MODEL is not used, because no model server is configured.'],
  };
}

function offlineProblems(env: ModelVariables): ConfigurationProblem[] {
  if (env.LLM_API_KEY !== undefined) {
    return [
      { name: 'LLM_API_KEY', message: 'must be set together with LLM_BASE_URL, which says where the key belongs' },
    ];
  }
  if (env.SAMPLES !== 'off') return [];
  const message =
    'must be set, or DASHSCOPE_API_KEY or OPENAI_API_KEY, because SAMPLES is off and the offline demo model is a sample';
  return [{ name: 'LLM_BASE_URL', message }];
}
