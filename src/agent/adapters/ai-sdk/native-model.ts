import { createRequire } from 'node:module';
import type { LanguageModelV3 } from '@ai-sdk/provider';
import { type Agent, fetch as undiciFetch, type RequestInit } from 'undici';
import { StartupError } from '../../../common/index.js';
import { modelProvider, type NativePackage } from '../../model-providers.js';
import type { ModelServer } from '../../model-selection.js';
import { ProxiedAgent } from '../upstream/proxied-agent.js';

const load = createRequire(__filename);

/** What the packages of all providers have in common. */
interface ProviderOptions {
  readonly apiKey?: string;
  readonly baseURL?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly fetch: typeof fetch;
}

interface LoadedProvider {
  /** @param settings only of Bedrock */
  languageModel(name: string, settings?: { readonly modelFamily: 'anthropic' }): LanguageModelV3;
}

/** True if the package of a server's provider is installed. */
export function isNativeInstalled({ provider }: ModelServer): boolean {
  const native = provider && modelProvider(provider).native;
  if (!native) return false;
  try {
    load.resolve(native.name);
    return true;
  } catch {
    return false;
  }
}

/**
 * The models of a provider by their names, through its package of the AI SDK. What the settings do not give, the package
 * reads from the variables of the provider, such as `AWS_REGION`. It is the provider's own API: for OpenAI the Responses
 * API, so that its reasoning models work with tools.
 *
 * @param headers further headers of every request
 * @param family the family that the settings name; undefined if they name none
 * @throws StartupError that says how to install the package
 */
export function nativeModels(
  server: ModelServer,
  headers: Readonly<Record<string, string>>,
  connections: Agent.Options,
  family?: string,
): (name: string | undefined) => LanguageModelV3 {
  const { provider, apiKey, baseUrl, model, isAddressGiven = false } = server;
  const native = provider && modelProvider(provider).native;
  if (provider === undefined || !native) throw new StartupError('This provider has no package of the AI SDK');
  const create = creatorOf(server.reason, native);
  const made = create({
    ...(apiKey !== undefined && { apiKey }),
    ...(isAddressGiven && { baseURL: withPath(baseUrl, native.path) }),
    ...(Object.keys(headers).length > 0 && { headers }),
    fetch: fetchThrough(new ProxiedAgent({ headersTimeout: 0, bodyTimeout: 0, ...connections })),
  });
  // The name of an inference profile does not say what it stands for.
  if (provider === 'bedrock' && family === 'claude') {
    return (name) => made.languageModel(name ?? model, { modelFamily: 'anthropic' });
  }
  return (name) => made.languageModel(name ?? model);
}

/** Many write the address of an API without its path. */
function withPath(baseUrl: string, path: string | undefined): string {
  if (path === undefined) return baseUrl;
  const url = new URL(baseUrl);
  return url.pathname === '/' ? `${url.origin}${path}${url.search}` : baseUrl;
}

/** @param purpose what needs the package, as the beginning of the sentence "… needs the package …" */
function creatorOf(
  purpose: string,
  { name, version, create }: NativePackage,
): (options: ProviderOptions) => LoadedProvider {
  let loaded: Record<string, (options: ProviderOptions) => LoadedProvider>;
  try {
    loaded = load(name) as typeof loaded;
  } catch (cause) {
    const message = `${purpose} needs the package ${name}, which is not installed. Install it with: npm install '${name}@${version}'`;
    throw new StartupError(message, { cause });
  }
  const creator = loaded[create];
  if (creator) return creator;
  throw new StartupError(`The package ${name} has no function ${create}: install '${name}@${version}'`);
}

/** `fetch` with connections of our own: through the proxies of the environment, and without time limits besides ours. */
function fetchThrough(agent: ProxiedAgent): typeof fetch {
  const through = (address: string | URL, init?: RequestInit): unknown => {
    const url = new URL(address);
    return undiciFetch(url, { ...init, dispatcher: agent.dispatcherFor(url) });
  };
  return through as typeof fetch;
}
