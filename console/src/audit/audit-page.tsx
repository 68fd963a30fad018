import { type ReactNode, useState } from 'react';
import { useLack } from '../access/rights.js';
import { save } from '../api/save.js';
import type { AuditItem } from '../api/types.js';
import { usePages } from '../lib/use-pages.js';
import { ErrorNotice } from '../ui/error-notice.js';
import { useAction } from '../ui/use-action.js';
import { AuditFilters, type AuditFilterValues } from './audit-filters.js';
import { AuditTable } from './audit-table.js';
import { VerifyPanel } from './verify-panel.js';

/** Who did what: the audit trail of the tenant, with a check of its seals. */
export function AuditPage(): ReactNode {
  const lack = useLack('audit:read');
  return (
    <div className="page">
      <header>
        <h1>Audit</h1>
        {lack === undefined && <Download />}
      </header>
      {lack === undefined ? <Audit /> : <p className="lack">{lack}</p>}
    </div>
  );
}

function Audit(): ReactNode {
  const [filters, setFilters] = useState<AuditFilterValues>({});
  const { rows, error, isLoading, hasMore, more, retry } = usePages<AuditItem>('audit', queryOf(filters));
  return (
    <>
      <VerifyPanel />
      <AuditFilters onChange={setFilters} />
      <ErrorNotice error={error} onRetry={retry} />
      {isLoading && <p className="muted">Loading…</p>}
      {!isLoading && rows.length === 0 && !error && <p className="empty">No act fits these filters.</p>}
      {rows.length > 0 && <AuditTable items={rows} />}
      {hasMore && (
        <button type="button" onClick={more}>
          More
        </button>
      )}
    </>
  );
}

/** The fields have local times; the server wants ISO 8601. */
function queryOf({ from, to, ...others }: AuditFilterValues): Readonly<Record<string, string | undefined>> {
  const time = (text: string | undefined): string | undefined => (text ? new Date(text).toISOString() : undefined);
  return { ...others, from: time(from), to: time(to) };
}

/** The sealed lines as a file. */
function Download(): ReactNode {
  const { error, isBusy, run } = useAction('audit');
  return (
    <>
      <ErrorNotice error={error} />
      <button type="button" disabled={isBusy} onClick={() => run(() => save('audit/export', 'audit.jsonl'))}>
        Export
      </button>
    </>
  );
}
