import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useMe } from '../access/rights.js';
import { json } from '../api/client.js';
import { save } from '../api/save.js';
import type { BudgetState, UsageSums } from '../api/types.js';
import { count } from '../lib/format.js';
import { ErrorNotice } from '../ui/error-notice.js';
import { Table } from '../ui/table.js';
import { useAction } from '../ui/use-action.js';
import { UserName } from '../user-data/user-name.js';
import { BudgetStates } from './budget-states.js';
import { Budgets } from './budgets.js';
import { DayBars } from './day-bars.js';
import { money } from './money.js';
import { Prices } from './prices.js';

const GROUPS = ['agent', 'model', 'user', 'account', 'day'] as const;
const DAYS = [7, 30, 90] as const;
const DAY_MS = 24 * 60 * 60 * 1000;

interface Report {
  readonly data: readonly UsageSums[];
  readonly nextCursor: string | null;
}

/** What was used, what is left of budgets, and, for those who may, budgets and prices as forms. */
export function UsagePage(): ReactNode {
  const scopes = new Set(useMe()?.scopes ?? []);
  const [days, setDays] = useState<number>(30);
  const [group, setGroup] = useState<(typeof GROUPS)[number]>('agent');
  const from = new Date(Date.now() - (days - 1) * DAY_MS).toISOString().slice(0, 10);
  const byDay = useQuery({
    queryKey: ['usage', 'day', from],
    queryFn: () => json<Report>('usage', { query: { from, group_by: 'day', limit: 400 } }),
  });
  const byGroup = useQuery({
    queryKey: ['usage', group, from],
    queryFn: () => json<Report>('usage', { query: { from, group_by: group, limit: 200 } }),
  });
  const states = useQuery({
    queryKey: ['usage', 'budgets'],
    queryFn: () => json<{ readonly data: readonly BudgetState[]; readonly currency: string }>('usage/budgets'),
  });
  const error = byDay.error ?? byGroup.error ?? states.error;
  const retry = (): void => void Promise.all([byDay.refetch(), byGroup.refetch(), states.refetch()]);
  const rows = byGroup.data?.data ?? [];
  return (
    <div className="page">
      <header>
        <h1>Usage</h1>
        <Download from={from} group={group} />
      </header>
      <form className="filters" aria-label="What is shown" onSubmit={(event) => event.preventDefault()}>
        <label>
          Time
          <select value={days} onChange={({ target }) => setDays(Number(target.value))}>
            {DAYS.map((one) => (
              <option key={one} value={one}>
                {one} days
              </option>
            ))}
          </select>
        </label>
        <label>
          Group by
          <select
            value={group}
            onChange={({ target }) => setGroup(GROUPS.find((one) => one === target.value) ?? 'agent')}
          >
            {GROUPS.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
      </form>
      <ErrorNotice error={error} onRetry={retry} />
      {byDay.data && <DayBars from={from} days={days} sums={byDay.data.data} states={states.data?.data ?? []} />}
      <section className="panel" aria-label={`Usage by ${group}`}>
        <h2>By {group}</h2>
        {byGroup.data && rows.length === 0 && (
          <p className="muted">Nothing was booked. Calls are booked as soon as there is a price or a budget.</p>
        )}
        {rows.length > 0 && <SumsTable rows={rows} group={group} />}
      </section>
      {states.data && <BudgetStates states={states.data.data} currency={states.data.currency} />}
      {scopes.has('admin:budgets') && <Budgets />}
      {scopes.has('admin:budgets') && <Prices />}
    </div>
  );
}

function SumsTable({
  rows,
  group,
}: {
  readonly rows: readonly UsageSums[];
  readonly group: (typeof GROUPS)[number];
}): ReactNode {
  return (
    <Table label="Sums" titles={[group, 'Runs', 'Calls', 'Input', 'Output', 'Cost', 'Estimated']}>
      {rows.map((row) => (
        <tr key={row[group]}>
          <td>{group === 'user' && row.user ? <UserName id={row.user} /> : row[group] === '' ? '–' : row[group]}</td>
          <td>{count(row.runs)}</td>
          <td>{count(row.calls)}</td>
          <td>{count(row.inputTokens)}</td>
          <td>{count(row.outputTokens)}</td>
          <td>{money(row.cost, row.currency)}</td>
          <td>{row.estimatedShare === 0 ? '–' : `${Math.round(row.estimatedShare * 100)} %`}</td>
        </tr>
      ))}
    </Table>
  );
}

/** The report as a file. */
function Download({ from, group }: { readonly from: string; readonly group: string }): ReactNode {
  const { error, isBusy, run } = useAction('usage-file');
  const download = (): Promise<void> =>
    save('usage', `usage-${from}.csv`, {
      query: { from, group_by: group === 'day' ? 'day' : `day,${group}`, limit: 1000 },
      accept: 'text/csv',
    });
  return (
    <>
      <ErrorNotice error={error} />
      <button type="button" disabled={isBusy} onClick={() => run(download)}>
        Download as CSV
      </button>
    </>
  );
}
