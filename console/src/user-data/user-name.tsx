import type { ReactNode } from 'react';
import { useMe } from '../access/rights.js';
import { hrefOf, Link } from '../lib/router.js';

/** The id of a user; for those who may read and erase what is stored of users, a link to that. */
export function UserName({ id }: { readonly id: string }): ReactNode {
  const mayErase = useMe()?.scopes.includes('admin:data') === true;
  return mayErase ? <Link to={hrefOf(['user-data', id])}>{id}</Link> : id;
}
