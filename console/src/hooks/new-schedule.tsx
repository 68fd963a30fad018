import { useQuery } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { json } from '../api/client.js';
import { time } from '../lib/format.js';
import { TextField } from '../ui/fields.js';

/** The body of a request for a new schedule. */
interface NewScheduleBody {
  readonly name: string;
  readonly cron?: string;
  readonly every?: string;
  readonly timezone: string;
  readonly agent?: string;
  readonly input: string;
}

interface Props {
  readonly isBusy: boolean;
  /** @param onDone called once it is there */
  readonly onCreate: (schedule: NewScheduleBody, onDone: () => void) => void;
}

const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;
const EMPTY = { name: '', plan: '0 9 * * mon-fri', timezone: ZONE, agent: '', input: '' };

/** The form for a new schedule, with the next times of its plan. */
export function NewSchedule({ isBusy, onCreate }: Props): ReactNode {
  const [draft, setDraft] = useState(EMPTY);
  const field = (name: Exclude<keyof typeof EMPTY, 'input'>, title: string, hint: string): ReactNode => (
    <TextField
      {...{ title, hint, value: draft[name], required: name !== 'agent' }}
      onChange={(value) => setDraft({ ...draft, [name]: value })}
    />
  );
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const { name, plan, timezone, agent, input } = draft;
    const body = { name, ...planOf(plan), timezone, ...(agent.trim() !== '' && { agent: agent.trim() }), input };
    onCreate(body, () => setDraft(EMPTY));
  };
  return (
    <details>
      <summary>Add a schedule</summary>
      <form className="stack form" aria-label="New schedule" onSubmit={submit}>
        <div className="filters">
          {field('name', 'Name', 'Morning report')}
          {field('plan', 'Plan', '0 9 * * mon-fri, or PT15M')}
          {field('timezone', 'Time zone', 'Europe/Berlin')}
          {field('agent', 'Agent', 'The default agent')}
        </div>
        <NextTimes plan={draft.plan} timezone={draft.timezone} />
        <label>
          Input
          <textarea
            required
            rows={3}
            value={draft.input}
            onChange={({ target }) => setDraft({ ...draft, input: target.value })}
          />
        </label>
        <button type="submit" className="primary" disabled={isBusy}>
          Add
        </button>
      </form>
    </details>
  );
}

function NextTimes({ plan, timezone }: { readonly plan: string; readonly timezone: string }): ReactNode {
  const { data, error } = useQuery({
    queryKey: ['schedule-preview', plan, timezone],
    queryFn: ({ signal }) =>
      json<{ readonly times: readonly string[] }>('api/v1/schedules/preview', {
        body: { ...planOf(plan), timezone, count: 3 },
        signal,
      }),
    enabled: plan.trim() !== '' && timezone.trim() !== '',
    retry: false,
  });
  return (
    <p className="muted" role="status">
      {error ? error.message : `Next: ${data?.times.map((one) => time(one)).join(' · ') ?? '…'}`}
    </p>
  );
}

/** A duration begins with P; everything else is a rule. */
function planOf(plan: string): { readonly cron: string } | { readonly every: string } {
  const text = plan.trim();
  return /^P/.test(text) ? { every: text } : { cron: text };
}
