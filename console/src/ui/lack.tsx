import type { ReactNode } from 'react';

/** Why a person may not do something, beside the button that is disabled for it. */
export function Lack({ id, why }: { readonly id: string; readonly why: string | undefined }): ReactNode {
  return why === undefined ? null : (
    <p id={id} className="lack">
      {why}
    </p>
  );
}
