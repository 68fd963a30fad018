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
export { ParleyError } from './parley-error.js';
