import { type ReactNode, useState } from 'react';
import { go, hrefOf, Link } from '../lib/router.js';
import { RUN_WIRES, wireTitle } from '../lib/wires.js';
import { outcomeWord } from '../ui/outcome.js';

const STATUSES = ['queued', 'running', 'completed', 'incomplete', 'failed', 'canceled', 'interrupted'];
/** Those that a phone shows only on demand. */
const MORE = ['status', 'wire', 'agent', 'user', 'since', 'until', 'session'] as const;

/** The filters of the list of runs. They are kept in the address. */
export function RunFilters({ filters }: { readonly filters: Readonly<Record<string, string>> }): ReactNode {
  const { text: wanted = '', session } = filters;
  const [text, setText] = useState(wanted);
  const [shown, setShown] = useState(wanted);
  const chosen = MORE.filter((name) => filters[name]).length;
  const [isOpen, setOpen] = useState(chosen > 0);
  // The address may change without the field, by "Clear" or by going back.
  if (shown !== wanted) {
    setShown(wanted);
    setText(wanted);
  }
  const set = (change: Readonly<Record<string, string>>): void =>
    go(hrefOf(['runs'], { ...filters, ...change }), { replace: true });
  const choice = (
    name: string,
    title: string,
    values: readonly string[],
    wordOf = (value: string) => value,
  ): ReactNode => (
    <label>
      {title}
      <select value={filters[name]} onChange={({ target }) => set({ [name]: target.value })}>
        <option value="">All</option>
        {values.map((value) => (
          <option key={value} value={value}>
            {wordOf(value)}
          </option>
        ))}
      </select>
    </label>
  );
  const field = (name: string, title: string, type: string): ReactNode => (
    <label>
      {title}
      <input type={type} value={filters[name]} onChange={({ target }) => set({ [name]: target.value })} />
    </label>
  );
  return (
    <form
      className={isOpen ? 'filters run-filters' : 'filters run-filters folded'}
      role="search"
      aria-label="Filters"
      onSubmit={(event) => {
        event.preventDefault();
        set({ text });
      }}
    >
      <label className="wide">
        Text
        <input
          type="search"
          value={text}
          placeholder="Words of the request, or an id"
          onChange={({ target }) => setText(target.value)}
          onBlur={() => set({ text })}
        />
      </label>
      <button type="submit">Search</button>
      <button
        type="button"
        className="more-filters"
        aria-expanded={isOpen}
        aria-controls="run-filters"
        onClick={() => setOpen(!isOpen)}
      >
        Filters{chosen > 0 && ` (${chosen})`}
      </button>
      <div id="run-filters" className="filter-fields">
        {choice('status', 'Status', STATUSES, outcomeWord)}
        {choice('wire', 'Wire', RUN_WIRES, wireTitle)}
        {field('agent', 'Agent', 'text')}
        {field('user', 'User', 'text')}
        {field('since', 'Since', 'datetime-local')}
        {field('until', 'Until', 'datetime-local')}
        {session && field('session', 'Session', 'text')}
        <Link to={hrefOf(['runs'])} className="button">
          Clear
        </Link>
      </div>
    </form>
  );
}
