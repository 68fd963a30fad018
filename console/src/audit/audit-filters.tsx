import { type ReactNode, useState } from 'react';
import { AUDIT_GROUPS } from './audit-actions.js';

/** What a person has chosen; empty fields are left out. */
export type AuditFilterValues = Readonly<
  Partial<Record<'action' | 'actor' | 'subject' | 'run' | 'from' | 'to', string>>
>;

/** Which acts are shown. */
export function AuditFilters({ onChange }: { readonly onChange: (values: AuditFilterValues) => void }): ReactNode {
  const [values, setValues] = useState<AuditFilterValues>({});
  const set = (change: AuditFilterValues): void => {
    const next = { ...values, ...change };
    setValues(next);
    // Texts count when they are complete.
    if (!('actor' in change) && !('subject' in change)) onChange(next);
  };
  const field = (name: 'actor' | 'subject' | 'from' | 'to', title: string, type: string, hint = ''): ReactNode => (
    <label>
      {title}
      <input
        type={type}
        value={values[name] ?? ''}
        placeholder={hint}
        onChange={({ target }) => set({ [name]: target.value })}
        onBlur={() => onChange(values)}
      />
    </label>
  );
  return (
    <form
      className="filters"
      role="search"
      aria-label="Filters"
      onSubmit={(event) => {
        event.preventDefault();
        onChange(values);
      }}
    >
      <label>
        Act
        <select value={values.action ?? ''} onChange={({ target }) => set({ action: target.value })}>
          <option value="">All</option>
          {AUDIT_GROUPS.map(({ title, actions }) => (
            <optgroup key={title} label={title}>
              {actions.map((action) => (
                <option key={action}>{action}</option>
              ))}
            </optgroup>
          ))}
        </select>
      </label>
      {field('actor', 'Who', 'text', 'A user, account or key')}
      {field('subject', 'About', 'text', 'An id')}
      {field('from', 'Since', 'datetime-local')}
      {field('to', 'Until', 'datetime-local')}
      <button type="submit">Search</button>
    </form>
  );
}
