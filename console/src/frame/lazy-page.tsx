import { type ComponentType, type ReactNode, useEffect, useEffectEvent, useState } from 'react';
import { request } from '../api/client.js';
import { useConnection } from '../lib/connection.js';

/** What is loaded of a page. */
type Loaded = { readonly default: ComponentType };

/**
 * A page that is loaded when it is opened. While it cannot be, the page says so; it is loaded again by the person, or when
 * the server is back.
 */
export function lazyPage(load: () => Promise<Loaded>): ComponentType {
  let loaded: ComponentType | undefined;
  return function LazyPage(): ReactNode {
    const [Page, setPage] = useState(() => loaded);
    const [isMissing, setMissing] = useState(false);
    const { lostAt } = useConnection();
    const read = useEffectEvent(async (signal: AbortSignal): Promise<void> => {
      if (loaded !== undefined) return;
      try {
        loaded = (await load()).default;
        if (!signal.aborted) setPage(() => loaded);
      } catch {
        // Asked for also to learn whether the server is away, which the frame then says.
        const answers = await request('api/v1/console').catch(() => undefined);
        if (signal.aborted) return;
        // Browsers keep a file that they could not load, and a new version has other files.
        if (answers && isMissing) window.location.reload();
        setMissing(true);
      }
    });
    const [tries, setTries] = useState(0);
    useEffect(() => {
      const aborter = new AbortController();
      void read(aborter.signal);
      return () => aborter.abort();
    }, [tries, lostAt]);
    if (Page) return <Page />;
    if (!isMissing) return <p className="page muted">Loading…</p>;
    return (
      <div className="page">
        <p className="notice warning row" role="alert">
          This page could not be loaded.
          <button type="button" onClick={() => setTries(tries + 1)}>
            Retry
          </button>
        </p>
      </div>
    );
  };
}
