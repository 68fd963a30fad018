import type { Schema } from '../api/types.js';

/** What the fields of a form have in common. */
export interface FieldProps {
  /** Of the element that the label names. */
  readonly id: string;
  readonly title: string;
  readonly schema: Schema;
  readonly value: unknown;
  readonly isRequired: boolean;
  readonly onChange: (value: unknown) => void;
}
