import { type ConfigShape } from '../config/index.js';

const REQUEST = '{"input":[{"role":"user","content":[{"type":"text","text":"Hello, who are you?"}]}]}';

/** What a person at the terminal wants to know once the server listens, with a command that works as it is. */
export function banner(config: ConfigShape, version: string, port: number): string {
  const url = `http://${reachableHost(config.http.host)}:${port}`;
  return [
    '',
    `Parley ${version} listens on ${url}`,
    '',
    `  API docs   ${url}/docs`,
    `  Database   ${describeDatabase(config.database)}`,
    `  Model      ${describeModel(config.model)}`,
    '',
    'Try it:',
    '',
    `  curl -N ${url}/process -H 'Content-Type: application/json' -d '${REQUEST}'`,
    '',
    '',
  ].join('\n');
}

/** Wildcard addresses are not addresses that one can open. */
function reachableHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

function describeDatabase(database: ConfigShape['database']): string {
  if (database.kind === 'sqlite') return `embedded, ${database.file}`;
  const url = new URL(database.url);
  return `PostgreSQL, ${url.host}${url.pathname}`;
}

function describeModel(model: ConfigShape['model']): string {
  if (model.kind === 'offline')
    return 'offline demo model (set OPENAI_API_KEY, DASHSCOPE_API_KEY or LLM_BASE_URL for a real one)';
  return `${model.model} at ${model.baseUrl}`;
}
