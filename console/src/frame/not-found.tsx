import type { ReactNode } from 'react';
import { Link } from '../lib/router.js';

/** What is shown at an address that is of no page. */
export function NotFound({ pages }: { readonly pages: readonly (readonly [to: string, title: string])[] }): ReactNode {
  return (
    <div className="page">
      <header>
        <h1>Page not found</h1>
      </header>
      <p>
        The console has no page at <code>{decoded(window.location.hash)}</code>.
      </p>
      <ul className="row links" aria-label="All pages">
        {pages.map(([to, title]) => (
          <li key={title}>
            <Link to={to} className="button">
              {title}
            </Link>
          </li>
        ))}
      </ul>
    </div>
  );
}

function decoded(hash: string): string {
  try {
    return decodeURIComponent(hash);
  } catch {
    return hash;
  }
}
