import type { OpenAPIObject } from '@nestjs/swagger';
import type { RouteOptions } from 'fastify';
import { isOpen, type Need, needOfRoute } from '../../access/index.js';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** The names of the schemes in the document. The page of the API reference uses the first. */
export const BEARER_SCHEME = 'bearer';
export const API_KEY_SCHEME = 'apiKey';

const SECURITY = [{ [BEARER_SCHEME]: [] }, { [API_KEY_SCHEME]: [] }];

/** What an operation may answer because of its caller, where its controller does not document it. */
const REFUSALS: Readonly<Record<string, string>> = {
  401: 'There is no credential, or it is not valid.',
  403: 'The caller lacks the scope, or may not act for the user that the request names.',
  429: 'Too many requests; `Retry-After` has the seconds to wait.',
};

/**
 * Adds to each operation of a document which credentials it takes, the scopes of which it needs one
 * (`x-required-scope`), and the answers to callers who may not (contract access, section 3.8). Returns the document.
 */
export function documentAccess(document: OpenAPIObject, routes: readonly RouteOptions[]): OpenAPIObject {
  const needs = new Map(
    routes.map((route) => [`${String(route.method)} ${documentedPath(route.url)}`, needOfRoute(route)]),
  );
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of METHODS) {
      const operation = item[method];
      const need = needs.get(`${method.toUpperCase()} ${path}`);
      if (operation && need) Object.assign(operation, accessOf(need, operation.responses));
    }
  }
  return document;
}

/** The path of a route as the document has it: a parameter without its pattern, and a colon that is one. */
function documentedPath(url: string): string {
  return url.replace(/::|:(\w+)(?:\([^)]*\))?/g, (found, name: string) => (found === '::' ? ':' : `{${name}}`));
}

function accessOf(need: Need, responses: object): object {
  if (need === 'public') return { security: [] };
  if (isOpen(need)) return { security: [{}, ...SECURITY] };
  const refusals = Object.entries(REFUSALS).map(([status, description]): [string, object] => [status, { description }]);
  return {
    security: SECURITY,
    ...(need !== 'caller' && { 'x-required-scope': need }),
    responses: { ...Object.fromEntries(refusals), ...responses },
  };
}
