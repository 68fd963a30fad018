import { type ReactNode, useState } from 'react';
import { useLack } from '../access/rights.js';
import { json } from '../api/client.js';
import type { Schedule, StartedSchedule } from '../api/types.js';
import { time } from '../lib/format.js';
import { hrefOf, Link } from '../lib/router.js';
import { usePages } from '../lib/use-pages.js';
import { ConfirmButton } from '../ui/confirm-button.js';
import { ErrorNotice } from '../ui/error-notice.js';
import { Table } from '../ui/table.js';
import { useAction } from '../ui/use-action.js';
import { NewSchedule } from './new-schedule.js';

const PATH = 'api/v1/schedules';

/** Runs that begin by themselves: the plans, their next times and last runs. */
export function SchedulesPage(): ReactNode {
  const lack = useLack('schedules:read');
  return (
    <div className="page">
      <header>
        <h1>Schedules</h1>
      </header>
      {lack === undefined ? <Schedules /> : <p className="lack">{lack}</p>}
    </div>
  );
}

function Schedules(): ReactNode {
  const cannotWrite = useLack('schedules:write') !== undefined;
  const { rows, error, isLoading, hasMore, more, retry } = usePages<Schedule>(PATH, { limit: 50 });
  const { error: actionError, isBusy, run } = useAction(PATH);
  const [started, setStarted] = useState<string>();
  const pathOf = ({ id }: Schedule): string => `${PATH}/${encodeURIComponent(id)}`;
  return (
    <>
      <ErrorNotice error={error} onRetry={retry} />
      {!cannotWrite && (
        <NewSchedule
          isBusy={isBusy}
          onCreate={(schedule, onDone) => run(() => json(PATH, { body: schedule }), onDone)}
        />
      )}
      <ErrorNotice error={actionError} />
      {started !== undefined && (
        <p role="status" className="notice info">
          Started: <Link to={hrefOf(['runs', started])}>the run</Link>
        </p>
      )}
      {isLoading && <p className="muted">Loading…</p>}
      {!isLoading && rows.length === 0 && !error && (
        <p className="empty">No schedules yet. They start runs of an agent at planned times.</p>
      )}
      {rows.length > 0 && (
        <Table label="List of schedules" titles={['Name', 'Plan', 'Agent', 'Next', 'Last run', '']}>
          {rows.map((schedule) => (
            <Row
              key={schedule.id}
              schedule={schedule}
              isBusy={isBusy || cannotWrite}
              onRun={() =>
                run(async () => {
                  setStarted(undefined);
                  setStarted((await json<StartedSchedule>(`${pathOf(schedule)}/run`, { body: {} })).runId);
                })
              }
              onEnable={() =>
                run(() => json(pathOf(schedule), { method: 'PATCH', body: { enabled: !schedule.enabled } }))
              }
              onRemove={() => run(() => json(pathOf(schedule), { method: 'DELETE' }))}
            />
          ))}
        </Table>
      )}
      {hasMore && (
        <button type="button" onClick={more}>
          More schedules
        </button>
      )}
    </>
  );
}

interface RowProps {
  readonly schedule: Schedule;
  readonly isBusy: boolean;
  readonly onRun: () => void;
  readonly onEnable: () => void;
  readonly onRemove: () => void;
}

function Row({ schedule, isBusy, onRun, onEnable, onRemove }: RowProps): ReactNode {
  const { name, user, cron, every, at, timezone, agent, enabled, suspendedReason, origin } = schedule;
  const { nextAt, lastRunId, lastAt } = schedule;
  const isDeclared = origin === 'code';
  return (
    <tr>
      <td>
        {name}
        <div className="muted">{user}</div>
      </td>
      <td>
        <code>{cron ?? every ?? time(at)}</code>
        {cron !== null && <div className="muted">{timezone}</div>}
        {isDeclared && <div className="muted">Declared in code</div>}
      </td>
      <td>{agent}</td>
      <td className="when">
        {nextAt === null ? (enabled ? 'Never' : 'Disabled') : time(nextAt)}
        {suspendedReason !== null && <div className="muted">{suspendedReason}</div>}
      </td>
      <td className="when">
        {lastRunId === null ? '–' : <Link to={hrefOf(['runs', lastRunId])}>{time(lastAt)}</Link>}
      </td>
      <td className="actions">
        <button type="button" aria-label={`Run now: ${name}`} disabled={isBusy} onClick={onRun}>
          Run now
        </button>{' '}
        {!isDeclared && (
          <button
            type="button"
            aria-label={`${enabled ? 'Disable' : 'Enable'} ${name}`}
            disabled={isBusy}
            onClick={onEnable}
          >
            {enabled ? 'Disable' : 'Enable'}
          </button>
        )}{' '}
        {!(isDeclared && enabled) && (
          <ConfirmButton label="Remove" object={name} disabled={isBusy} onConfirm={onRemove} />
        )}
      </td>
    </tr>
  );
}
