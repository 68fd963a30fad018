/** What servers answer where nothing is served, and not because a model is unknown. */
const NO_ROUTE =
  /not[ _]found|no route|cannot post|invalid url|unexpected endpoint|unknown (path|url|endpoint|request url)|no such (path|route|endpoint)|resource/i;

/**
 * Whether the body of an answer with status 404 says that nothing is served at the path: a page, nothing, or a sentence
 * about a path. An unknown model is 404 too.
 */
export function isNoRoute(body: string): boolean {
  if (/\bmodels?\b(?!s?\/)|deployment|models\/[\w.-]+ is not found/i.test(body.replace(/https?:\S+/g, '')))
    return false;
  return body.trim() === '' || body.trimStart().startsWith('<') || NO_ROUTE.test(body);
}
