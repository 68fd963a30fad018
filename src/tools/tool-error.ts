/**
 * Thrown by a tool to tell the model why it failed: the message is shown to the model word for word.
 * Any other error is answered with a general sentence, and its cause goes to the log only.
 */
export class ToolError extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'ToolError';
  }
}
