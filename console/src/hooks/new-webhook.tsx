import { type FormEvent, type ReactNode, useState } from 'react';
import { CheckList, TextField } from '../ui/fields.js';

/** The body of a request for a new endpoint. */
interface NewWebhookBody {
  readonly url: string;
  readonly events: readonly string[];
  readonly format: string;
  readonly description: string | null;
  readonly agents: readonly string[] | null;
  readonly include: readonly string[];
}

interface Props {
  readonly isBusy: boolean;
  /** @param onDone called once it is there */
  readonly onCreate: (webhook: NewWebhookBody, onDone: () => void) => void;
}

const INCLUDES = ['output', 'error', 'arguments'];
const EMPTY = { url: '', events: 'run.*', format: 'parley', description: '', agents: '' };

/** The form for a new endpoint. */
export function NewWebhook({ isBusy, onCreate }: Props): ReactNode {
  const [draft, setDraft] = useState(EMPTY);
  const [include, setInclude] = useState<ReadonlySet<string>>(new Set());
  const field = (name: keyof typeof EMPTY, title: string, hint: string): ReactNode => (
    <TextField
      {...{ title, hint, value: draft[name], required: name === 'url', type: name === 'url' ? 'url' : 'text' }}
      onChange={(value) => setDraft({ ...draft, [name]: value })}
    />
  );
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const { url, events, format, description, agents } = draft;
    const body = {
      url: url.trim(),
      events: words(events),
      format,
      description: description.trim() || null,
      agents: agents.trim() === '' ? null : words(agents),
      include: [...include],
    };
    onCreate(body, () => setDraft(EMPTY));
  };
  return (
    <details>
      <summary>Add a webhook</summary>
      <form className="stack form" aria-label="New webhook" onSubmit={submit}>
        <div className="filters">
          {field('url', 'Address', 'https://example.com/hooks')}
          {field('events', 'Events', 'run.* interrupt.requested')}
          {field('agents', 'Only of the agents', 'support-*')}
          {field('description', 'Description', 'Nightly reports')}
          <label>
            Format
            <select value={draft.format} onChange={({ target }) => setDraft({ ...draft, format: target.value })}>
              <option value="parley">Parley</option>
              <option value="openai">OpenAI</option>
            </select>
          </label>
        </div>
        <CheckList title="Content besides ids and states" names={INCLUDES} chosen={include} onChange={setInclude} />
        <button type="submit" className="primary" disabled={isBusy}>
          Add
        </button>
      </form>
    </details>
  );
}

function words(text: string): readonly string[] {
  return text.split(/[\s,]+/).filter((word) => word !== '');
}
