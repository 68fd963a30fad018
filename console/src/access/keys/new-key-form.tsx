import { type FormEvent, type ReactNode, useState } from 'react';
import { CheckList, TextField } from '../../ui/fields.js';
import { DURATIONS, emptyDraft, type KeyDraft, type NewKey, newKeyOf, offeredOf } from './new-key.js';

interface Props {
  /** The scopes of the person, who can grant no others. */
  readonly grantable: readonly string[];
  readonly isBusy: boolean;
  /** @param onDone called once the key is there */
  readonly onCreate: (key: NewKey, onDone: () => void) => void;
}

/** The form for a new key. */
export function NewKeyForm({ grantable, isBusy, onCreate }: Props): ReactNode {
  const offered = offeredOf(grantable);
  const [draft, setDraft] = useState<KeyDraft>(() => emptyDraft(offered));
  const set = (change: Partial<KeyDraft>): void => setDraft({ ...draft, ...change });
  const field = (name: 'account' | 'name' | 'user' | 'patterns' | 'networks', title: string, hint = ''): ReactNode => (
    <TextField
      {...{ title, hint, value: draft[name], required: name === 'account' }}
      onChange={(value) => set({ [name]: value })}
    />
  );
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onCreate(newKeyOf(draft), () => setDraft(emptyDraft(offered)));
  };
  return (
    <details>
      <summary>Create a key</summary>
      <form className="stack form" aria-label="New key" onSubmit={submit}>
        <div className="filters">
          {field('account', 'Account', 'nightly')}
          {field('name', 'Name', 'Nightly reports')}
          {field('user', 'Only for the user')}
          <label>
            Expires
            <select value={draft.expires} onChange={({ target }) => set({ expires: target.value })}>
              {DURATIONS.map(([value, title]) => (
                <option key={value} value={value}>
                  {title}
                </option>
              ))}
            </select>
          </label>
        </div>
        <CheckList title="Scopes" names={offered} chosen={draft.scopes} onChange={(scopes) => set({ scopes })} />
        <div className="filters">
          {field('patterns', 'Further scopes', 'agents:support-* tools:*')}
          {field('networks', 'Only from the networks', '10.0.0.0/8')}
        </div>
        <button type="submit" className="primary" disabled={isBusy}>
          Create
        </button>
      </form>
    </details>
  );
}
