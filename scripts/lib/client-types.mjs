import { fileURLToPath } from 'node:url';
import { loadTool } from './tools.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The paths that the client calls. Only they and what they refer to are part of its types. */
const PATHS = [
  '/api/v1/agent/attachments',
  '/api/v1/agent/runs',
  '/api/v1/agents',
  '/api/v1/runs',
  '/api/v1/runs/{id}',
  '/api/v1/runs/{id}/events',
  '/api/v1/runs/{id}/response',
  '/api/v1/schedules',
  '/api/v1/sessions',
  '/api/v1/sessions/{id}/messages',
  '/api/v1/tools',
  '/api/v1/webhooks',
  '/interrupts',
  '/interrupts/{id}',
];

const HEADER = '/* eslint-disable */\n// Made of docs/openapi.json by npm run openapi.\n';

/**
 * The source of src/client/api.ts.
 *
 * @param {string} json docs/openapi.json
 * @returns {Promise<string>}
 */
export async function clientTypes(json) {
  const document = JSON.parse(json);
  const paths = Object.fromEntries(PATHS.map((path) => [path, document.paths[path]]));
  const { schemas } = document.components;
  const used = Object.fromEntries([...reached(paths, schemas)].sort().map((name) => [name, schemas[name]]));
  const { openapi, info } = document;
  const { default: openapiTS, astToString } = loadTool(ROOT, 'openapi-typescript');
  const nodes = await openapiTS({ openapi, info, paths, components: { schemas: used } }, { defaultNonNullable: false });
  return HEADER + astToString(nodes);
}

/**
 * The names of all schemas that something refers to, directly or not.
 *
 * @param {unknown} from
 * @param {Record<string, unknown>} schemas
 * @returns {Set<string>}
 */
function reached(from, schemas) {
  /** @type {Set<string>} */
  const found = new Set();
  const waiting = [from];
  while (waiting.length > 0) {
    for (const [, name = ''] of JSON.stringify(waiting.pop()).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (found.has(name)) continue;
      found.add(name);
      waiting.push(schemas[name]);
    }
  }
  return found;
}
