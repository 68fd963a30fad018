export type { ClientOptions } from './connection.js';
export {
  type CallOptions,
  type LoggedEvent,
  ParleyClient,
  type RunEvent,
  type StartedRun,
  type StartRequest,
  type WireFrame,
} from './parley-client.js';
export { ParleyError, type ParleyErrorOptions } from './parley-error.js';
