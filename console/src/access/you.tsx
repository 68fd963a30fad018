import type { ReactNode } from 'react';
import type { Whoami } from '../api/types.js';
import { time } from '../lib/format.js';
import { Facts } from '../ui/facts.js';

/** Who the server takes this browser for, and what it may do. */
export function You({ me }: { readonly me: Whoami }): ReactNode {
  const facts = {
    User: me.userId,
    Tenant: me.tenantId,
    Credential: `${me.actor.kind} ${me.actor.account ?? me.actor.id}`,
    Scopes: me.scopes.join(', ') || '–',
    Roles: me.roles.join(', ') || '–',
    Expires: time(me.expiresAt),
  };
  return (
    <section className="panel" aria-label="You">
      <h2>You</h2>
      <Facts facts={Object.entries(facts)} />
    </section>
  );
}
