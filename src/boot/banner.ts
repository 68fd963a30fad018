import { AccessSettings } from '../access/index.js';
import { type ModelInfo, type ModelServer, ModelSettings } from '../agent/index.js';
import { hasConsole } from '../app.setup.js';
import { commandLine } from '../common/index.js';
import { type Configuration, ServerSettings } from '../config/index.js';
import { type DatabaseAddress, DatabaseSettings } from '../database/index.js';

const REQUEST = '{"input":[{"role":"user","content":[{"type":"text","text":"Hello, who are you?"}]}]}';

const CREATE_KEY = `export PARLEY_KEY=$(${commandLine('key', { isQuiet: true })} create --tenant default --account me)`;
const CREDENTIAL = ` -H "Authorization: Bearer $PARLEY_KEY"`;

const OLD_NODE =
  'Node.js 20 is past its end of life and gets no security updates. Parley still works with it, but please use 22 or newer.';

/**
 * The text for the terminal once the server listens: its addresses, and a command that works as it is, or, with
 * authentication, with a credential in PARLEY_KEY.
 *
 * @param model as the model client describes it
 * @param nodeVersion the banner says when its support has ended or ends soon
 */
export function banner(
  configuration: Configuration,
  version: string,
  port: number,
  model: ModelInfo,
  nodeVersion = process.versions.node,
): string {
  const url = `http://${reachableHost(configuration.get(ServerSettings).host)}:${port}`;
  const { isAuthenticated, methods } = configuration.get(AccessSettings);
  return [
    '',
    `Parley ${version} listens on ${url}`,
    '',
    ...(hasConsole(configuration) ? [`  Console    ${url}/console`] : []),
    `  API docs   ${url}/docs`,
    `  Database   ${describeDatabase(configuration.get(DatabaseSettings).address)}`,
    `  Model      ${describeModel(configuration.get(ModelSettings).server, model)}`,
    ...configuration.get(ModelSettings).named.map(({ name, server }) => `             ${describeNamed(name, server)}`),
    '',
    ...(nodeVersion.startsWith('20.') ? [OLD_NODE, ''] : []),
    ...(methods.includes('keys') ? ['Create a key:', '', `  ${CREATE_KEY}`, ''] : []),
    'Try it:',
    '',
    `  curl -N ${url}/process${isAuthenticated ? CREDENTIAL : ''} -H 'Content-Type: application/json' -d '${REQUEST}'`,
    '',
    '',
  ].join('\n');
}

/** A wildcard address cannot be opened. */
function reachableHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

function describeDatabase(address: DatabaseAddress): string {
  if (address.kind === 'sqlite') return `embedded, ${address.file}`;
  const url = new URL(address.url);
  return `PostgreSQL, ${url.host}${url.pathname}`;
}

/** A model that agents choose by its name. */
function describeNamed(name: string, { kind, model, baseUrl, provider }: ModelServer): string {
  return `${name}: ${model} ${kind === 'native' ? `of ${provider}` : `at ${baseUrl}`}`;
}

/** What answers, how it is called, and what it was chosen by. */
function describeModel({ kind, model, reason }: ModelServer, info: ModelInfo): string {
  if (info.kind === 'offline') {
    return 'offline demo model (set OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY, DASHSCOPE_API_KEY or LLM_BASE_URL for a real one)';
  }
  // A model that code gives is not the one that the settings chose.
  if (info.profile && info.name === model) {
    return `${model}${info.address === undefined ? '' : ` at ${info.address}`} (${reason}), profile ${info.profile.name} (${info.profile.reason})`;
  }
  return kind === 'native' ? `${info.name} of ${info.kind} (${reason})` : `${info.name} of ${info.kind}`;
}
