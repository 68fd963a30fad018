import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useEffectEvent, useState } from 'react';
import { parley } from '../api/client.js';
import type { Interrupt, InterruptStatus } from '../api/types.js';
import { hrefOf, Link, usePlace } from '../lib/router.js';
import { useNow } from '../lib/use-now.js';
import { usePages } from '../lib/use-pages.js';
import { useTitle } from '../lib/use-title.js';
import { ErrorNotice } from '../ui/error-notice.js';
import { outcomeWord } from '../ui/outcome.js';
import { InterruptCard, titleOf } from './interrupt-card.js';
import { useVisit } from './use-visit.js';

const REFRESH_MS = 3000;

/** A part of the inbox. */
interface Part {
  readonly name: string;
  readonly title: string;
  /** Undefined: all. */
  readonly states: readonly InterruptStatus[] | undefined;
  readonly none: string;
}

const WAITING: Part = {
  name: 'waiting',
  title: 'Waiting',
  states: ['pending'],
  none: 'Nothing waits. Approvals and questions of agents appear here as soon as a run asks.',
};

const PARTS: readonly Part[] = [
  WAITING,
  {
    name: 'decided',
    title: 'Decided',
    states: ['approved', 'denied', 'answered'],
    none: 'Nobody has decided anything yet.',
  },
  {
    name: 'not-answered',
    title: outcomeWord('cancelled'),
    states: ['cancelled'],
    none: 'Nothing was left without an answer.',
  },
  {
    name: 'expired',
    title: outcomeWord('expired'),
    states: ['expired'],
    none: 'Everything was answered in time.',
  },
  { name: 'all', title: 'All', states: undefined, none: 'No agent has asked anything yet.' },
];

/** Approvals and questions of all runs, or one of them. What is decided here lets every waiting client go on. */
export function InboxPage(): ReactNode {
  const id = usePlace().path[1];
  return id === undefined ? <InboxList /> : <OneInterrupt key={id} id={id} />;
}

function InboxList(): ReactNode {
  const show = usePlace().query.get('show');
  const part = PARTS.find(({ name }) => name === show) ?? WAITING;
  return (
    <div className="page inbox">
      <header>
        <h1>Inbox</h1>
        <nav aria-label="Which" className="row parts">
          {PARTS.map(({ name, title }) => (
            <Link
              key={name}
              to={hrefOf(['inbox'], { show: name === WAITING.name ? undefined : name })}
              className="button"
              aria-current={name === part.name ? 'true' : undefined}
            >
              {title}
            </Link>
          ))}
        </nav>
      </header>
      <Cards key={part.name} part={part} />
    </div>
  );
}

function Cards({ part: { name, states, none } }: { readonly part: Part }): ReactNode {
  const query = { status: states?.join(','), limit: 20 };
  const { rows, error, isLoading, hasMore, more, refresh, retry } = usePages<Interrupt>('interrupts', query);
  const now = useNow(REFRESH_MS);
  const isWaiting = name === WAITING.name;
  const onTime = useEffectEvent(() => isWaiting && refresh());
  useEffect(() => {
    const timer = setInterval(() => void onTime(), REFRESH_MS);
    return () => clearInterval(timer);
  }, []);
  const { shown, answered } = useVisit(rows, isWaiting && !isLoading && !error);
  return (
    <>
      <ErrorNotice error={error} onRetry={retry} />
      {isLoading && <p className="muted">Loading…</p>}
      {!isLoading && shown.length === 0 && !error && <p className="empty">{none}</p>}
      <ul className="inbox-cards" aria-label="Approvals and questions, newest first">
        {shown.map((interrupt) => (
          <li key={interrupt.id}>
            <InterruptCard interrupt={interrupt} now={now} onAnswered={answered} />
          </li>
        ))}
      </ul>
      {hasMore && (
        <button type="button" onClick={more}>
          Earlier ones
        </button>
      )}
    </>
  );
}

/** An approval or a question at an address of its own. */
function OneInterrupt({ id }: { readonly id: string }): ReactNode {
  const { data, error, refetch } = useQuery({
    queryKey: ['interrupts', id],
    queryFn: () => parley().interrupt(id),
    refetchInterval: ({ state }) => (state.data?.status === 'pending' ? REFRESH_MS : false),
  });
  const [answered, setAnswered] = useState<Interrupt>();
  const now = useNow(REFRESH_MS);
  const interrupt = answered ?? data;
  const title = interrupt && titleOf(interrupt);
  useTitle(title);
  return (
    <div className="page inbox">
      <header>
        <h1>{title ?? 'Inbox'}</h1>
        <Link to={hrefOf(['inbox'])} className="button">
          The whole inbox
        </Link>
      </header>
      <ErrorNotice error={error} onRetry={() => void refetch()} />
      {!interrupt && !error && <p className="muted">Loading…</p>}
      {interrupt && <InterruptCard interrupt={interrupt} now={now} onAnswered={setAnswered} />}
    </div>
  );
}
