import type { AgUiEvent } from './ag-ui.types.js';

/**
 * The last event of a stream that the server cuts because it stops: without it a client would take the
 * cut for a successful end. The run itself goes on (contract ag-ui, section 0, rule 5).
 */
export const CLOSING_EVENT: AgUiEvent = {
  type: 'RUN_ERROR',
  message: 'The server is shutting down; the run goes on',
  code: 'SHUTTING_DOWN',
};
