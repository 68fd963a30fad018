import type { ReactNode } from 'react';
import type { ErasureReceipt } from '../api/types.js';
import { count, duration, pretty, time } from '../lib/format.js';
import { CopyButton } from '../ui/copy-button.js';
import { Facts } from '../ui/facts.js';
import { Outcome } from '../ui/outcome.js';
import { Table } from '../ui/table.js';
import { erasedKinds } from './erased-kinds.js';

/** What is said of an erasure, by its state. */
const SENTENCES: Readonly<Record<ErasureReceipt['status'], string>> = {
  erasing: 'Rows are being removed. Until it is done the user can store nothing.',
  clearing: 'All rows are removed. Their bytes are being cleared from the files of the database.',
  done: 'Everything is removed. What has the same id now is a new user.',
};

/** How an erasure stands, and what it has removed: no content, and no name. */
export function Receipt({ receipt }: { readonly receipt: ErasureReceipt }): ReactNode {
  const { jobId, status, requestedAt, finishedAt, counts } = receipt;
  const kinds = erasedKinds(counts);
  const isEmpty = kinds.length === 0;
  return (
    <>
      <div className="row" role="status">
        <Outcome state={`erasure-${status}`} />
        <span>
          {status === 'done' && isEmpty ? 'Nothing to erase: nothing was stored of this user.' : SENTENCES[status]}
        </span>
      </div>
      <Facts
        facts={[
          ['Erasure', <code key="id">{jobId}</code>],
          ['Asked for', time(requestedAt)],
          ['Finished', finishedAt === null ? '–' : `${time(finishedAt)}, after ${tookOf(requestedAt, finishedAt)}`],
        ]}
      />
      {!isEmpty && (
        <Table label="Erased rows" titles={['Kind', 'Rows', 'What became of them']}>
          {kinds.map(({ kind, title, rows, isKept }) => (
            <tr key={kind}>
              <td>{title}</td>
              <td>{count(rows)}</td>
              <td>{isKept ? 'Kept under a pseudonym' : 'Removed'}</td>
            </tr>
          ))}
        </Table>
      )}
      <div className="row">
        <CopyButton label="the receipt" text={() => pretty(receipt)} />
      </div>
    </>
  );
}

function tookOf(from: string, to: string): string {
  return duration(Math.max(0, Date.parse(to) - Date.parse(from)));
}
