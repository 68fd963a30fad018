import { useQuery } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { json } from '../api/client.js';
import type { Budget } from '../api/types.js';
import { count } from '../lib/format.js';
import { ConfirmButton } from '../ui/confirm-button.js';
import { ErrorNotice } from '../ui/error-notice.js';
import { Table } from '../ui/table.js';
import { useAction } from '../ui/use-action.js';
import { billionths, money } from './money.js';

const PATH = 'admin/budgets';
const SUBJECTS = ['tenant', 'user', 'agent', 'account'];
const WINDOWS = ['run', 'day', 'month', 'total'];

interface BudgetList {
  readonly data: readonly Budget[];
  readonly currency: string;
  readonly timeZone: string;
}

/** The budgets of the tenant: set and remove them. */
export function Budgets(): ReactNode {
  const { data, error, refetch } = useQuery({ queryKey: [PATH], queryFn: () => json<BudgetList>(PATH) });
  const { error: actionError, isBusy, run } = useAction(PATH);
  return (
    <section className="panel" aria-label="Set budgets">
      <h2>Budgets</h2>
      <ErrorNotice error={error} onRetry={() => void refetch()} />
      {data && <p className="muted">Days and months begin in the time zone {data.timeZone}.</p>}
      <NewBudget
        currency={data?.currency ?? ''}
        isBusy={isBusy}
        onSet={(body, onDone) => run(() => json(PATH, { method: 'PUT', body }), onDone)}
      />
      <ErrorNotice error={actionError} />
      {data && data.data.length > 0 && (
        <Table label="List of budgets" titles={['Subject', 'Name', 'Window', 'Tokens', 'Cost', 'When used up', '']}>
          {data.data.map(({ id, subject, name, window, tokens, cost, action }) => (
            <tr key={id}>
              <td>{subject}</td>
              <td>{name === '*' ? 'each' : name}</td>
              <td>{window}</td>
              <td>{tokens === null ? '–' : count(tokens)}</td>
              <td>{cost === null ? '–' : money(cost, data.currency)}</td>
              <td>{action === 'block' ? 'calls are refused' : 'people are told'}</td>
              <td className="actions">
                <ConfirmButton
                  label="Remove"
                  object={`the budget of ${subject} ${name} per ${window}`}
                  disabled={isBusy}
                  onConfirm={() => run(() => json(`${PATH}/${encodeURIComponent(id)}`, { method: 'DELETE' }))}
                />
              </td>
            </tr>
          ))}
        </Table>
      )}
    </section>
  );
}

interface NewBudgetProps {
  readonly currency: string;
  readonly isBusy: boolean;
  /** @param onDone called once the budget is set */
  readonly onSet: (body: object, onDone: () => void) => void;
}

function NewBudget({ currency, isBusy, onSet }: NewBudgetProps): ReactNode {
  const [subject, setSubject] = useState('tenant');
  const [name, setName] = useState('');
  const [window, setWindow] = useState('month');
  const [tokens, setTokens] = useState('');
  const [cost, setCost] = useState('');
  const [action, setAction] = useState('block');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const body = {
      subject,
      window,
      action,
      ...(subject !== 'tenant' && name.trim() !== '' && { name: name.trim() }),
      ...(tokens !== '' && { tokens: Number(tokens) }),
      ...(billionths(cost) !== undefined && { cost: billionths(cost) }),
    };
    onSet(body, () => {
      setName('');
      setTokens('');
      setCost('');
    });
  };
  return (
    <form className="filters" aria-label="New budget" onSubmit={submit}>
      <Choice label="For" value={subject} values={SUBJECTS} onChange={setSubject} />
      {subject !== 'tenant' && (
        <label>
          Name
          <input value={name} placeholder="each" onChange={({ target }) => setName(target.value)} />
        </label>
      )}
      <Choice label="Per" value={window} values={WINDOWS} onChange={setWindow} />
      <label>
        Tokens
        <input
          type="number"
          min={1}
          step={1}
          required={cost === ''}
          value={tokens}
          onChange={({ target }) => setTokens(target.value)}
        />
      </label>
      <label>
        Cost ({currency})
        <input type="number" min={0} step="any" value={cost} onChange={({ target }) => setCost(target.value)} />
      </label>
      <Choice label="When used up" value={action} values={['block', 'warn']} onChange={setAction} />
      <button type="submit" disabled={isBusy}>
        Set the budget
      </button>
    </form>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly values: readonly string[];
  readonly onChange: (value: string) => void;
}

function Choice({ label, value, values, onChange }: ChoiceProps): ReactNode {
  return (
    <label>
      {label}
      <select value={value} onChange={({ target }) => onChange(target.value)}>
        {values.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </select>
    </label>
  );
}
