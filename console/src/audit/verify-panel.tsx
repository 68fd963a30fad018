import { type ReactNode, useState } from 'react';
import { json } from '../api/client.js';
import type { AuditVerification } from '../api/types.js';
import { count } from '../lib/format.js';
import { ErrorNotice } from '../ui/error-notice.js';
import { useAction } from '../ui/use-action.js';

/** The end that this browser has seen last, so that lines that were cut off since are found. */
const NOTED = 'parley.audit.checkpoint';

type Head = NonNullable<AuditVerification['head']>;

/** Follows the chain of seals when a person asks for it. */
export function VerifyPanel(): ReactNode {
  const { error, isBusy, run } = useAction('audit-verify');
  const [result, setResult] = useState<AuditVerification>();
  const verify = async (): Promise<void> => {
    const head = noted();
    const query = head ? { chain: head.chain, seq: head.seq, hash: head.hash } : {};
    const found = await json<AuditVerification>('audit/verify', { query });
    setResult(found);
    if (found.whole && found.head) localStorage.setItem(NOTED, JSON.stringify(found.head));
  };
  return (
    <section className="panel" aria-label="Verify">
      <p>
        Every line is sealed into a chain: one that is changed, removed or moved breaks it. What this browser has seen
        last is compared too.
      </p>
      <button type="button" disabled={isBusy} onClick={() => run(verify)}>
        {isBusy ? 'Verifying…' : 'Verify'}
      </button>
      <ErrorNotice error={error} />
      {result && <Result result={result} />}
    </section>
  );
}

function Result({ result }: { readonly result: AuditVerification }): ReactNode {
  const { whole, lines, unsealed, erased, head, firstBreak } = result;
  if (!whole && firstBreak)
    return (
      <p role="alert" className="notice error">
        The chain is broken at line {firstBreak.seq}: {firstBreak.message}. See the runbook.
        {noted() && (
          <>
            {' '}
            <button type="button" onClick={() => localStorage.removeItem(NOTED)}>
              Forget what this browser has seen
            </button>
          </>
        )}
      </p>
    );
  return (
    <p role="status" className="notice info">
      The chain is whole: {count(lines)} lines{erased > 0 && `, the contents of ${count(erased)} of them erased`}
      {unsealed > 0 && `, ${count(unsealed)} more not sealed yet`}.{' '}
      {head && (
        <>
          Last: {head.seq} <code>{head.hash.slice(0, 16)}…</code>
        </>
      )}
    </p>
  );
}

function noted(): Pick<Head, 'chain' | 'seq' | 'hash'> | undefined {
  try {
    const head = JSON.parse(localStorage.getItem(NOTED) ?? 'null') as Head | null;
    return head ?? undefined;
  } catch {
    return undefined;
  }
}
