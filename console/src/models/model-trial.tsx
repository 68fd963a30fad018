import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { json } from '../api/client.js';
import { useSignIn } from '../api/credential.js';
import type { Whoami } from '../api/types.js';
import { count } from '../lib/format.js';
import { ErrorNotice } from '../ui/error-notice.js';
import { useAction } from '../ui/use-action.js';
import type { ModelReport } from '../api/types.js';
import { MODELS_PATH } from './models-path.js';

const BADGES = { works: 'success', failed: 'error', unsupported: 'warning', skipped: '' } as const;

/** Tries the model with the same requests as `parley model`, and shows the report. */
export function ModelTrial(): ReactNode {
  const signIn = useSignIn();
  const { data: me } = useQuery({ queryKey: ['whoami', signIn], queryFn: () => json<Whoami>('whoami') });
  const [report, setReport] = useState<ModelReport>();
  const { error, isBusy, run } = useAction(MODELS_PATH);
  const may = me === undefined || me.scopes.includes('runs:write');
  const start = (): void => {
    setReport(undefined);
    run(async () => setReport(await json<ModelReport>(`${MODELS_PATH}/check`, { method: 'POST' })));
  };
  return (
    <section aria-label="Trial" className="stack">
      <h3>Trial</h3>
      <p className="muted">
        At most eight small requests: a text, a tool, its result, JSON, a limit and an image. They use tokens.
      </p>
      <div className="row">
        <button type="button" className="primary" disabled={isBusy || !may} onClick={start}>
          {isBusy ? 'Trying…' : 'Try the model'}
        </button>
        {!may && <span className="muted">Your credential lacks the scope runs:write.</span>}
      </div>
      <ErrorNotice error={error} />
      <div role="status">{report && <Report report={report} />}</div>
    </section>
  );
}

function Report({
  report: { checks, requests, inputTokens, outputTokens },
}: {
  readonly report: ModelReport;
}): ReactNode {
  return (
    <>
      <div className="scroll" tabIndex={0} role="region" aria-label="Report">
        <table>
          <thead>
            <tr>
              {['Tried', 'Outcome', 'Note'].map((title) => (
                <th key={title} scope="col">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {checks.map(({ name, outcome, note }) => (
              <tr key={name}>
                <td>{name}</td>
                <td>
                  <span className={`badge ${BADGES[outcome]}`}>{outcome}</span>
                </td>
                <td>{note}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p className="muted">
        {requests} requests, {count(inputTokens)} tokens in and {count(outputTokens)} out
      </p>
    </>
  );
}
