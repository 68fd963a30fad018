import { type FormEvent, type ReactNode, useState } from 'react';
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
    <label>
      {title}
      <input
        required={name === 'account'}
        value={draft[name]}
        placeholder={hint}
        onChange={({ target }) => set({ [name]: target.value })}
      />
    </label>
  );
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onCreate(newKeyOf(draft), () => setDraft(emptyDraft(offered)));
  };
  const toggle = (scope: string, isOn: boolean): void => {
    const scopes = new Set(draft.scopes);
    if (isOn) scopes.add(scope);
    else scopes.delete(scope);
    set({ scopes });
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
        <fieldset className="choices">
          <legend>Scopes</legend>
          {offered.map((scope) => (
            <label key={scope} className="check">
              <input
                type="checkbox"
                checked={draft.scopes.has(scope)}
                onChange={({ target }) => toggle(scope, target.checked)}
              />
              <span>{scope}</span>
            </label>
          ))}
        </fieldset>
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
