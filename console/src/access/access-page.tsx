import type { ReactNode } from 'react';
import { setCredential, useSignIn } from '../api/credential.js';
import { forgetTalk } from '../talk/use-conversation.js';
import { ErrorNotice } from '../ui/error-notice.js';
import { Keys } from './keys/keys.js';
import { LimitsForm } from './limits/limits-form.js';
import { useWhoami } from './rights.js';
import { Tenants } from './tenants.js';
import { You } from './you.js';

function signOut(): void {
  forgetTalk();
  setCredential(undefined);
}

/** Who uses the console, and what that person may administer. */
export function AccessPage(): ReactNode {
  const signIn = useSignIn();
  const { data: me, error, refetch } = useWhoami();
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
      <ErrorNotice error={error} onRetry={() => void refetch()} />
      {!me && !error && <p className="muted">Loading…</p>}
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
