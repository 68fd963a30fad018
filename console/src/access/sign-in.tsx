import { type FormEvent, type ReactNode, useState } from 'react';
import { setCredential } from '../api/credential.js';

/** Asks for an API key or a token. It is kept in this tab only. */
export function SignIn({ refused }: { readonly refused: boolean }): ReactNode {
  const [token, setToken] = useState('');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setCredential(token.trim());
  };
  return (
    <main className="sign-in">
      <h1>Parley</h1>
      {refused && (
        <p role="alert" className="notice error">
          The server does not accept this credential. It may have expired or been revoked.
        </p>
      )}
      <form onSubmit={submit}>
        <label htmlFor="token">API key or token</label>
        <input
          id="token"
          type="password"
          autoComplete="off"
          spellCheck={false}
          required
          value={token}
          onChange={({ target }) => setToken(target.value)}
        />
        <p className="muted">It stays in this tab and is forgotten when the tab is closed.</p>
        <button type="submit" className="primary">
          Sign in
        </button>
      </form>
    </main>
  );
}
