import { type ReactNode, useEffect, useState } from 'react';

/** How long a button says that it has copied. */
const SAYS_MS = 2000;

/** Copies a text. Where the browser has no clipboard for pages without https, the button is not there. */
export function CopyButton({ text, label }: { readonly text: () => string; readonly label: string }): ReactNode {
  const [state, setState] = useState('Copy');
  useEffect(() => {
    if (state === 'Copy') return undefined;
    const timer = setTimeout(() => setState('Copy'), SAYS_MS);
    return () => clearTimeout(timer);
  }, [state]);
  if (!('clipboard' in navigator)) return null;
  const copy = (): void => {
    navigator.clipboard.writeText(text()).then(
      () => setState('Copied'),
      () => setState('Not copied'),
    );
  };
  return (
    <button type="button" className="small" aria-label={`${state} ${label}`} onClick={copy}>
      {state}
    </button>
  );
}
