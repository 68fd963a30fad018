import type { ReactNode } from 'react';

/** Why something that a person asked for failed; nothing if it did not. */
export function Failure({ message }: { readonly message: string | undefined }): ReactNode {
  return message === undefined ? null : (
    <p role="alert" className="notice error">
      {message}
    </p>
  );
}
