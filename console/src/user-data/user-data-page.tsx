import { type FormEvent, type ReactNode, useState } from 'react';
import { useLack, useMe } from '../access/rights.js';
import { go, hrefOf, usePlace } from '../lib/router.js';
import { useTitle } from '../lib/use-title.js';
import { Erasure } from './erasure.js';
import { UserExport } from './user-export.js';

/** What is stored of one user of the tenant: it is exported and erased here, and the receipt is read. */
export function UserDataPage(): ReactNode {
  const id = usePlace().path[1];
  const me = useMe();
  const lack = useLack('admin:data');
  useTitle(id && `User data: ${id}`);
  return (
    <div className="page">
      <header>
        <h1>User data</h1>
      </header>
      {!me && <p className="muted">Loading…</p>}
      {lack !== undefined && <p className="lack">{lack}</p>}
      {me && lack === undefined && (
        <>
          <Finder key={`find ${id ?? ''}`} id={id ?? ''} />
          {id === undefined ? (
            <p className="empty">Type the id of a user, or come here from a session or from Usage by user.</p>
          ) : (
            <>
              <UserExport key={`export ${id}`} id={id} />
              <Erasure key={`erase ${id}`} id={id} isSelf={id === me.userId} />
            </>
          )}
        </>
      )}
    </div>
  );
}

/** Goes to a user: the server has no list of them. */
function Finder({ id }: { readonly id: string }): ReactNode {
  const [text, setText] = useState(id);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    go(hrefOf(['user-data', text]));
  };
  return (
    <form className="filters" role="search" aria-label="Find a user" onSubmit={submit}>
      <label>
        User id
        <input
          required
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      </label>
      <button type="submit">Show</button>
    </form>
  );
}
