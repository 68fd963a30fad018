import type { ReactNode } from 'react';

interface TextFieldProps {
  readonly title: string;
  readonly value: string;
  /** An example, shown while the field is empty. */
  readonly hint?: string;
  readonly required?: boolean;
  readonly type?: 'text' | 'url';
  readonly onChange: (value: string) => void;
}

/** A field for one line of text. */
export function TextField({ title, hint, onChange, ...input }: TextFieldProps): ReactNode {
  return (
    <label>
      {title}
      <input placeholder={hint} onChange={({ target }) => onChange(target.value)} {...input} />
    </label>
  );
}

interface CheckListProps {
  readonly title: string;
  readonly names: readonly string[];
  readonly chosen: ReadonlySet<string>;
  readonly onChange: (chosen: ReadonlySet<string>) => void;
}

/** A checkbox for each name. */
export function CheckList({ title, names, chosen, onChange }: CheckListProps): ReactNode {
  const toggle = (name: string, isOn: boolean): void => {
    const changed = new Set(chosen);
    if (isOn) changed.add(name);
    else changed.delete(name);
    onChange(changed);
  };
  return (
    <fieldset className="choices">
      <legend>{title}</legend>
      {names.map((name) => (
        <label key={name} className="check">
          <input type="checkbox" checked={chosen.has(name)} onChange={({ target }) => toggle(name, target.checked)} />
          <span>{name}</span>
        </label>
      ))}
    </fieldset>
  );
}
