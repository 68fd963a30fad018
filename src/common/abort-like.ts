/** What `AbortSignal` and `LightAbortSignal` have in common. */
export interface AbortLike {
  readonly aborted: boolean;
  /** Calls a listener when the signal aborts; never if it has aborted already. */
  addEventListener(type: 'abort', listener: () => void, options?: { readonly once?: boolean }): void;
  /** Has no effect for a listener that was not added. */
  removeEventListener(type: 'abort', listener: () => void): void;
}
