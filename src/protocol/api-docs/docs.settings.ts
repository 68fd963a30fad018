import { AccessSettings, type Need } from '../../access/index.js';
import { choice, setting, settings } from '../../config/index.js';

/** Who may read the description of the API. */
export class DocsSettings extends settings('API documents', {
  docs: setting('DOCS', choice('public', 'scope', 'off'), {
    default: (source) => (source.slice(AccessSettings).isAuthenticated ? 'scope' : 'public'),
    unset: '`public` if AUTH is none, otherwise `scope`',
    description:
      'Who may read `/openapi.json`, which `/docs` shows: everyone (`public`), callers with the scope docs:read (`scope`), or nobody (`off`).',
  }),
}) {
  /** What reading the document needs; undefined if it is not served. */
  get need(): Need | undefined {
    if (this.docs === 'off') return undefined;
    return this.docs === 'public' ? 'public' : ['docs:read'];
  }
}
