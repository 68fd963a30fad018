/**
 * Why a builder or the grammar refused a call:
 * - `GRAMMAR`: the stream would be illegal;
 * - `WRONG_CONTENT_TYPE`: the setter belongs to another content type;
 * - `UNSUPPORTED_CONTENT_TYPE`: not one of the seven content types.
 */
export type BuilderErrorCode = 'GRAMMAR' | 'WRONG_CONTENT_TYPE' | 'UNSUPPORTED_CONTENT_TYPE';

/** Thrown by the builders and by `StreamGrammar`, before anything is recorded. */
export class BuilderError extends Error {
  constructor(
    readonly code: BuilderErrorCode,
    message: string,
  ) {
    super(message);
    this.name = 'BuilderError';
  }
}
