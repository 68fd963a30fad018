import type { ReactNode } from 'react';
import type { BudgetState } from '../api/types.js';
import { count, time } from '../lib/format.js';
import { Table } from '../ui/table.js';
import { money } from './money.js';

/** How much of budgets is used in their present periods. */
export function BudgetStates({
  states,
  currency,
}: {
  readonly states: readonly BudgetState[];
  readonly currency: string;
}): ReactNode {
  if (states.length === 0) return null;
  return (
    <section className="panel" aria-label="Budgets">
      <h2>What is left</h2>
      <Table
        label="Budgets in their present periods"
        titles={['Budget', 'Window', 'Used', 'Reserved', 'Limit', 'Begins again']}
      >
        {states.map((state) => (
          <StateRow key={`${state.id} ${state.name}`} state={state} currency={currency} />
        ))}
      </Table>
    </section>
  );
}

function StateRow({ state, currency }: { readonly state: BudgetState; readonly currency: string }): ReactNode {
  const { subject, name, window, limit, used, reserved, resetsAt } = state;
  const share = Math.max(
    limit.tokens === null ? 0 : used.tokens / limit.tokens,
    limit.cost === null ? 0 : used.cost / limit.cost,
  );
  const shown = (amount: { readonly tokens: number | null; readonly cost: number | null }): string =>
    [
      limit.tokens !== null && `${count(amount.tokens)} tokens`,
      limit.cost !== null && money(amount.cost ?? 0, currency),
    ]
      .filter((text) => text !== false)
      .join(', ');
  const title = subject === 'tenant' ? 'tenant' : `${subject} ${name === '*' ? '(each)' : name}`;
  return (
    <tr>
      <td>{title}</td>
      <td>{window}</td>
      <td>
        {shown(used)}{' '}
        <meter min={0} max={1} high={0.8} value={Math.min(1, share)} aria-label={`Used of the budget of ${title}`}>
          {Math.round(share * 100)} %
        </meter>
      </td>
      <td>{shown(reserved)}</td>
      <td>{shown(limit)}</td>
      <td className="when">{resetsAt === null ? 'never' : time(resetsAt)}</td>
    </tr>
  );
}
