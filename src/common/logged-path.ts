/** The routes whose paths name a person. */
const PERSON = /(\/admin\/users\/)[^/]+/;

/**
 * The path of a request as logs and traces hold it: without the query, which may hold secrets, and without the id of a
 * person, which has to be nowhere once the person is erased (contract access, section 9).
 */
export function loggedPath(url: string): string {
  const [path = ''] = url.split('?', 1);
  return path.replace(PERSON, '$1-');
}
