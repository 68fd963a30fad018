import { type ReactNode, useState } from 'react';
import { json } from '../api/client.js';
import { count } from '../lib/format.js';
import { useLack } from '../access/rights.js';
import { ErrorNotice } from '../ui/error-notice.js';
import { Lack } from '../ui/lack.js';
import { Outcome } from '../ui/outcome.js';
import { useAction } from '../ui/use-action.js';
import type { ModelReport } from '../api/types.js';
import { Table } from '../ui/table.js';
import { MODELS_PATH } from './models-path.js';

/** Tries a model with the same requests as `parley model`, and shows the report. @param name undefined: the default model */
export function ModelTrial({ id, name }: { readonly id: string; readonly name: string | undefined }): ReactNode {
  const lack = useLack('runs:write');
  const [report, setReport] = useState<ModelReport>();
  const { error, isBusy, run } = useAction(MODELS_PATH);
  const start = (): void => {
    setReport(undefined);
    run(async () => setReport(await json<ModelReport>(`${MODELS_PATH}/check`, { method: 'POST', query: { name } })));
  };
  return (
    <section aria-label="Trial" className="stack">
      <h3>Trial</h3>
      <p className="muted">
        At most eight small requests: a text, a tool, its result, JSON, a limit and an image. They use tokens.
      </p>
      <div className="row">
        <button
          type="button"
          className="primary"
          disabled={isBusy || lack !== undefined}
          aria-describedby={lack && `lack-${id}`}
          onClick={start}
        >
          {isBusy ? 'Trying…' : 'Try the model'}
        </button>
      </div>
      <Lack id={`lack-${id}`} why={lack} />
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
      <Table label="Report" titles={['Tried', 'Outcome', 'Note']}>
        {checks.map(({ name, outcome, note }) => (
          <tr key={name}>
            <td>{name}</td>
            <td>
              <Outcome state={`trial-${outcome}`} />
            </td>
            <td>{note}</td>
          </tr>
        ))}
      </Table>
      <p className="muted">
        {requests} requests, {count(inputTokens)} tokens in and {count(outputTokens)} out
      </p>
    </>
  );
}
