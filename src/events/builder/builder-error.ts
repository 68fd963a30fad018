/**
 * Why a builder or the grammar refused:
 * - `GRAMMAR`: the call would make an illegal stream;
 * - `WRONG_CONTENT_TYPE`: a setter of another content type;
 * - `UNSUPPORTED_CONTENT_TYPE`: not one of the seven content types.
 */
export type BuilderErrorCode = 'GRAMMAR' | 'WRONG_CONTENT_TYPE' | 'UNSUPPORTED_CONTENT_TYPE';

/** Thrown by the builders and by `StreamGrammar`. Nothing was recorded when it is thrown. */
export class BuilderError extends Error {
  constructor(
    readonly code: BuilderErrorCode,
    message: string,
  ) {
    super(message);
    this.name = 'BuilderError';
  }
}
