import type { ReactNode } from 'react';

/** The logo of the product, next to its name. */
export function Logo(): ReactNode {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" fill="#3b5bdb" />
      <path d="M9 8h14a3 3 0 0 1 3 3v7a3 3 0 0 1-3 3h-7l-5 5v-5H9a3 3 0 0 1-3-3v-7a3 3 0 0 1 3-3z" fill="#fff" />
    </svg>
  );
}
