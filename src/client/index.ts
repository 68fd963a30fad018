export type { ClientOptions } from './connection.js';
export {
  type CallOptions,
  type InterruptAnswer,
  type IssuedWebhook,
  type LoggedEvent,
  ParleyClient,
  type RunEvent,
  type Schedule,
  type ScheduleRequest,
  type StartedRun,
  type StartRequest,
  type Webhook,
  type WebhookRequest,
  type WireFrame,
} from './parley-client.js';
export { ParleyError, type ParleyErrorOptions } from './parley-error.js';
