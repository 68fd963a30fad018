/** What stands before the id of a person in paths, such as `/admin/users/`. */
const beforePersons = new Set<string>();

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
  beforePersons.add(`/${before.join('/')}/`);
}

/**
 * The path of a request as logs and traces hold it: without the query, which may hold secrets, and without the id of a
 * person, which has to be nowhere once the person is erased (contract access, section 9).
 */
export function loggedPath(url: string): string {
  const [path = ''] = url.split('?', 1);
  let shown = path;
  for (const before of beforePersons) shown = withoutPerson(shown, before);
  return shown;
}

function withoutPerson(path: string, before: string): string {
  const at = path.indexOf(before);
  const from = at + before.length;
  if (at < 0 || from === path.length) return path;
  const end = path.indexOf('/', from);
  return `${path.slice(0, from)}-${end < 0 ? '' : path.slice(end)}`;
}
