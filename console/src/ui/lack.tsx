import type { ReactNode } from 'react';

/** Why a person may not do something, next to the disabled button. */
export function Lack({ id, why }: { readonly id: string; readonly why: string | undefined }): ReactNode {
  return why === undefined ? null : (
    <p id={id} className="lack">
      {why}
    </p>
  );
}
