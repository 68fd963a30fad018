/**
 * The address of a route with a value for each of its parameters, as clients request it.
 *
 * @param url as Fastify has it: parameters with or without a pattern, two colons for one
 */
export function requestPath(url: string, value: string): string {
  return url.replace(/::|:\w+(?:\([^)]*\))?/g, (found) => (found === '::' ? ':' : value));
}
