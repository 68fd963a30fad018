/** The segments before the id of a person in paths, such as `admin` and `users`, by how they are written. */
const beforePersons = new Map<string, readonly string[]>();

/**
 * States that a route names a person in its path: from now on the paths of its requests are logged without the id, wherever
 * the server is mounted.
 *
 * @param route the path of the route, with `:` before its parameters
 * @param parameter the one that is a person's id
 * @throws TypeError if the route has no such parameter, or one that follows another parameter
 */
export function hidePerson(route: string, parameter: string): void {
  const segments = route.split('/');
  const at = segments.indexOf(`:${parameter}`);
  const first = segments.findLastIndex((segment, index) => index < at && /[:*]/.test(segment)) + 1;
  const before = segments.slice(first, Math.max(at, first)).filter((segment) => segment !== '');
  if (before.length === 0) throw new TypeError(`${route} names no person as :${parameter}`);
  beforePersons.set(before.join('/'), before);
}

/**
 * The path of a request as logs and traces hold it: without the query, which may hold secrets, and without the id of a
 * person, which has to be nowhere once the person is erased (contract access, section 9).
 */
export function loggedPath(url: string): string {
  const [path = ''] = url.split('?', 1);
  const segments = path.split('/');
  const read = segments.map(decoded);
  for (const before of beforePersons.values()) {
    for (let at = 1; at + before.length < segments.length; at += 1) {
      const person = at + before.length;
      if (segments[person] !== '' && before.every((one, index) => read[at + index] === one)) segments[person] = '-';
    }
  }
  return segments.join('/');
}

/** A segment as the router reads it. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
