import { useQuery } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { json } from '../api/client.js';
import type { Price } from '../api/types.js';
import { count, time } from '../lib/format.js';
import { ErrorNotice } from '../ui/error-notice.js';
import { Table } from '../ui/table.js';
import { useAction } from '../ui/use-action.js';
import { billionths, money, perMillion, perToken } from './money.js';

const PATH = 'admin/prices';

/** The fields of a new price, as they are typed. */
const FIELDS = [
  ['input', 'Input', true],
  ['cachedInput', 'Cached input', false],
  ['output', 'Output', true],
  ['reasoning', 'Reasoning', false],
] as const;

interface PriceList {
  readonly data: readonly Price[];
  readonly currency: string;
}

/** The prices of models: versions are added and never changed. */
export function Prices(): ReactNode {
  const { data, error, refetch } = useQuery({ queryKey: [PATH], queryFn: () => json<PriceList>(PATH) });
  const { error: actionError, isBusy, run } = useAction(PATH);
  return (
    <section className="panel" aria-label="Prices">
      <h2>Prices</h2>
      <p className="muted">
        For a million tokens{data ? ` in ${data.currency}` : ''}. A price is never changed: add a version that is valid
        later.
      </p>
      <ErrorNotice error={error} onRetry={() => void refetch()} />
      <NewPrice isBusy={isBusy} onAdd={(body, onDone) => run(() => json(PATH, { body }), onDone)} />
      <ErrorNotice error={actionError} />
      {data && data.data.length > 0 && (
        <Table
          label="List of prices"
          titles={['Model', 'Valid from', ...FIELDS.map(([, title]) => title), 'Per call', 'Longest answer', 'Of']}
        >
          {data.data.map((price) => (
            <tr key={price.version}>
              <td>
                {price.model}
                {price.provider !== null && ` (${price.provider})`}
              </td>
              <td className="when">{price.validFrom === null ? 'the beginning' : time(price.validFrom)}</td>
              {FIELDS.map(([field]) => (
                <td key={field}>{perMillion(price[field])}</td>
              ))}
              <td>{price.perCall === 0 ? '–' : money(price.perCall, data.currency)}</td>
              <td>{price.maxOutput === null ? '–' : count(price.maxOutput)}</td>
              <td>{price.isOwn ? 'this tenant' : 'all tenants'}</td>
            </tr>
          ))}
        </Table>
      )}
    </section>
  );
}

interface NewPriceProps {
  readonly isBusy: boolean;
  /** @param onDone called once the price is there */
  readonly onAdd: (body: object, onDone: () => void) => void;
}

function NewPrice({ isBusy, onAdd }: NewPriceProps): ReactNode {
  const [draft, setDraft] = useState<Readonly<Record<string, string>>>({});
  const textOf = (name: string): string => draft[name] ?? '';
  const change = (name: string, value: string): void => setDraft({ ...draft, [name]: value });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const prices = FIELDS.flatMap(([field]) => {
      const price = perToken(textOf(field));
      return price === undefined ? [] : [[field, price] as const];
    });
    const body = {
      model: textOf('model').trim(),
      ...Object.fromEntries(prices),
      ...(textOf('validFrom') !== '' && { validFrom: textOf('validFrom') }),
      ...(billionths(textOf('perCall')) !== undefined && { perCall: billionths(textOf('perCall')) }),
      ...(textOf('maxOutput') !== '' && { maxOutput: Number(textOf('maxOutput')) }),
    };
    onAdd(body, () => setDraft({}));
  };
  return (
    <form className="filters" aria-label="New price" onSubmit={submit}>
      <label>
        Model
        <input
          required
          value={textOf('model')}
          placeholder="my-model*"
          onChange={({ target }) => change('model', target.value)}
        />
      </label>
      {FIELDS.map(([field, title, isRequired]) => (
        <label key={field}>
          {title}
          <input
            type="number"
            min={0}
            step="any"
            required={isRequired}
            value={textOf(field)}
            onChange={({ target }) => change(field, target.value)}
          />
        </label>
      ))}
      <label>
        Per call
        <input
          type="number"
          min={0}
          step="any"
          value={textOf('perCall')}
          onChange={({ target }) => change('perCall', target.value)}
        />
      </label>
      <label>
        Longest answer, in tokens
        <input
          type="number"
          min={1}
          step={1}
          value={textOf('maxOutput')}
          onChange={({ target }) => change('maxOutput', target.value)}
        />
      </label>
      <label>
        Valid from (UTC)
        <input type="date" value={textOf('validFrom')} onChange={({ target }) => change('validFrom', target.value)} />
      </label>
      <button type="submit" disabled={isBusy}>
        Add the price
      </button>
    </form>
  );
}
