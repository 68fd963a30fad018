import { type FormEvent, type ReactNode, useState } from 'react';
import { setCredential } from '../api/credential.js';

/** Takes an API key or a token. It is kept in this tab only. */
export function TokenForm({ isFirst }: { readonly isFirst: boolean }): ReactNode {
  const [token, setToken] = useState('');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setCredential(token.trim());
  };
  return (
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
      <button type="submit" className={isFirst ? 'primary' : undefined}>
        Sign in
      </button>
    </form>
  );
}
