import { type ReactNode, useState } from 'react';
import type { Provider } from '../api/types.js';
import { useInfo } from '../api/use-info.js';
import { ErrorNotice } from '../ui/error-notice.js';
import { Logo } from '../ui/logo.js';
import { beginSignIn } from './oidc/redirect.js';
import { TokenForm } from './token-form.js';

interface Props {
  /** Whether the server has refused a credential. */
  readonly refused: boolean;
  /** Why signing in with a provider has failed, if it has. */
  readonly error: string | undefined;
}

/** Signs people in: with a provider, or with a key or token. */
export function SignIn({ refused, error: signInError }: Props): ReactNode {
  const info = useInfo();
  const [error, setError] = useState<unknown>(signInError);
  const begin = (provider: Provider): void => {
    setError(undefined);
    beginSignIn(provider).catch(setError);
  };
  const providers = info?.signIn ?? [];
  return (
    <main className="sign-in">
      <h1 className="brand">
        <Logo /> Parley
      </h1>
      <ErrorNotice error={error} />
      {refused && error === undefined && (
        <ErrorNotice error="The server does not accept this credential. It may have expired or been revoked." />
      )}
      <div className="panel">
        {providers.map((provider) => (
          <button key={provider.alias} type="button" className="primary" onClick={() => begin(provider)}>
            Sign in with {provider.alias}
          </button>
        ))}
        {providers.length > 0 && <p className="or">or</p>}
        <TokenForm isFirst={providers.length === 0} />
      </div>
    </main>
  );
}
