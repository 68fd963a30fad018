import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { json } from '../api/client.js';
import { setCredential, useSignIn } from '../api/credential.js';
import type { Whoami } from '../api/types.js';
import { forgetTalk } from '../talk/use-conversation.js';
import { ErrorNotice } from '../ui/error-notice.js';
import { Keys } from './keys/keys.js';
import { LimitsForm } from './limits/limits-form.js';
import { Tenants } from './tenants.js';
import { You } from './you.js';

function signOut(): void {
  forgetTalk();
  setCredential(undefined);
}

/** Who uses the console, and what that person may administer. */
export function AccessPage(): ReactNode {
  const signIn = useSignIn();
  const { data: me, error } = useQuery({ queryKey: ['whoami', signIn], queryFn: () => json<Whoami>('whoami') });
  const scopes = new Set(me?.scopes ?? []);
  return (
    <div className="page">
      <header>
        <h1>Access</h1>
        {signIn !== undefined && (
          <button type="button" onClick={signOut}>
            Sign out
          </button>
        )}
      </header>
      <ErrorNotice error={error} />
      {me?.actor.kind === 'none' && (
        <p className="notice info">
          This server has no authentication (AUTH=none): everyone who reaches it may use it.
        </p>
      )}
      {me && <You me={me} />}
      {me && scopes.has('admin:keys') && <Keys grantable={me.scopes} />}
      {scopes.has('admin:budgets') && <LimitsForm />}
      {scopes.has('admin:tenants') && <Tenants />}
    </div>
  );
}
