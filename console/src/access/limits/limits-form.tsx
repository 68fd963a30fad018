import { useQuery } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { json } from '../../api/client.js';
import { ErrorNotice } from '../../ui/error-notice.js';
import { useAction } from '../../ui/use-action.js';
import { draftOf, keyOf, type LimitTree, overridesOf, titleOf, valuesIn } from './limit-values.js';

const PATH = 'admin/limits';

/** The limits of a tenant as the server has them. */
interface LimitsView {
  readonly limits: LimitTree;
  readonly overrides: LimitTree;
}

/** The limits of the tenant. An empty field stands for the default of the installation. */
export function LimitsForm(): ReactNode {
  const { data, error, refetch } = useQuery({ queryKey: [PATH], queryFn: () => json<LimitsView>(PATH) });
  return (
    <section className="panel" aria-label="Limits">
      <h2>Limits</h2>
      <ErrorNotice error={error} onRetry={() => void refetch()} />
      {!data && !error && <p className="muted">Loading…</p>}
      {data && <LimitFields key={JSON.stringify(data)} view={data} />}
    </section>
  );
}

function LimitFields({ view: { limits, overrides } }: { readonly view: LimitsView }): ReactNode {
  const [draft, setDraft] = useState(() => draftOf(overrides));
  const { error, isBusy, run } = useAction(PATH);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    run(() => json(PATH, { method: 'PUT', body: overridesOf(limits, draft) }));
  };
  return (
    <form className="stack form" aria-label="Limits" onSubmit={submit}>
      <p className="muted">An empty field uses the installation&apos;s default.</p>
      {Object.entries(limits).map(([subject, own]) => (
        <fieldset key={subject} className="choices">
          <legend>{titleOf([subject])}</legend>
          {valuesIn(own).map(({ path, value }) => {
            const key = keyOf([subject, ...path]);
            return (
              <label key={key}>
                {titleOf(path)}
                <input
                  type="number"
                  min={1}
                  step={1}
                  placeholder={String(value)}
                  value={draft.get(key) ?? ''}
                  onChange={({ target }) => setDraft(new Map(draft).set(key, target.value))}
                />
              </label>
            );
          })}
        </fieldset>
      ))}
      <ErrorNotice error={error} />
      <button type="submit" className="primary" disabled={isBusy}>
        Save the limits
      </button>
    </form>
  );
}
