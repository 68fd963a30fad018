import { type ReactNode, useState } from 'react';
import { go, hrefOf, Link } from '../lib/router.js';

const STATUSES = ['queued', 'running', 'completed', 'incomplete', 'failed', 'canceled', 'interrupted'];
const WIRES = ['agent-api', 'responses', 'chat-completions', 'ai-sdk', 'ag-ui', 'copilotkit', 'ag-kit', 'runs'];

/** The filters of the list of runs. They are kept in the address. */
export function RunFilters({ filters }: { readonly filters: Readonly<Record<string, string>> }): ReactNode {
  const { text: wanted = '' } = filters;
  const [text, setText] = useState(wanted);
  const [shown, setShown] = useState(wanted);
  // The address may change without the field, by "Clear" or by going back.
  if (shown !== wanted) {
    setShown(wanted);
    setText(wanted);
  }
  const set = (change: Readonly<Record<string, string>>): void =>
    go(hrefOf(['runs'], { ...filters, ...change }), { replace: true });
  const choice = (name: string, title: string, values: readonly string[]): ReactNode => (
    <label>
      {title}
      <select value={filters[name]} onChange={({ target }) => set({ [name]: target.value })}>
        <option value="">All</option>
        {values.map((value) => (
          <option key={value}>{value}</option>
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
      className="filters"
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
      {choice('status', 'Status', STATUSES)}
      {choice('wire', 'Wire', WIRES)}
      {field('agent', 'Agent', 'text')}
      {field('user', 'User', 'text')}
      {field('since', 'Since', 'datetime-local')}
      {field('until', 'Until', 'datetime-local')}
      <button type="submit">Search</button>
      <Link to={hrefOf(['runs'])} className="button">
        Clear
      </Link>
    </form>
  );
}
