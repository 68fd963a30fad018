import { AccessSettings, BrowserSettings, LimitsSettings, OidcSettings, ProxySettings } from './access/index.js';
import { AgentSettings, modelKeyVariables, ModelSettings, RemoteSettings } from './agent/index.js';
import { AuditSettings } from './audit/index.js';
import { AttachmentSettings } from './agent/attachment/index.js';
import {
  Configuration,
  ConfigurationError,
  misspelledSettings,
  RedisSettings,
  ServerSettings,
  type SliceType,
} from './config/index.js';
import { DatabaseSettings } from './database/index.js';
import { A2aSettings } from './protocol/a2a/a2a.settings.js';
import { AgKitSettings } from './protocol/ag-kit/ag-kit.settings.js';
import { AgUiSettings } from './protocol/ag-ui-events/index.js';
import { AgentApiSettings } from './protocol/agent-api/agent-api.settings.js';
import { DocsSettings } from './protocol/api-docs/docs.settings.js';
import { AiSdkSettings } from './protocol/ai-sdk/ai-sdk.settings.js';
import { ChatCompletionsSettings } from './protocol/chat-completions/chat-completions.settings.js';
import { ConsoleSettings } from './protocol/console/console.settings.js';
import { HttpSettings } from './protocol/http/index.js';
import { McpServerSettings } from './protocol/mcp/mcp-server.settings.js';
import { ResponsesSettings } from './protocol/responses/responses.settings.js';
import { RunsApiSettings } from './protocol/runs/runs-api.settings.js';
import { PushHostSettings } from './outbox/index.js';
import { OutgoingSettings } from './outgoing/index.js';
import { FleetSettings, RunSettings } from './run/index.js';
import { RetentionSettings } from './retention/index.js';
import { SamplesSettings } from './samples/index.js';
import { LoggingSettings, MetricsSettings, TracingSettings } from './telemetry/index.js';
import { UsageSettings } from './usage/index.js';
import { McpSettings, ToolSettings } from './agent/tools/index.js';
import { WebhookSettings } from './webhooks/index.js';

/** All settings of the server, in the order of the documentation. */
export const APP_SETTINGS: readonly SliceType[] = [
  ServerSettings,
  AccessSettings,
  OidcSettings,
  ProxySettings,
  OutgoingSettings,
  LimitsSettings,
  BrowserSettings,
  HttpSettings,
  DocsSettings,
  ConsoleSettings,
  DatabaseSettings,
  RedisSettings,
  ModelSettings,
  SamplesSettings,
  AgentSettings,
  RemoteSettings,
  ToolSettings,
  McpSettings,
  RunSettings,
  FleetSettings,
  UsageSettings,
  AuditSettings,
  RetentionSettings,
  AttachmentSettings,
  AgentApiSettings,
  ResponsesSettings,
  ChatCompletionsSettings,
  AiSdkSettings,
  AgUiSettings,
  AgKitSettings,
  RunsApiSettings,
  A2aSettings,
  McpServerSettings,
  PushHostSettings,
  WebhookSettings,
  LoggingSettings,
  MetricsSettings,
  TracingSettings,
];

const SETTING_NAMES = APP_SETTINGS.flatMap(({ declarations }) => Object.values(declarations).map(({ name }) => name));

/** What is given in code, so that no variable has to configure it. */
export interface GivenInCode {
  readonly hasModel?: boolean;
}

/**
 * Reads all settings of the server. Names that are misspelled settings are refused.
 *
 * @throws ConfigurationError that names every variable that cannot be used
 */
export function readConfiguration(env: NodeJS.ProcessEnv, { hasModel = false }: GivenInCode = {}): Configuration {
  const optional = hasModel ? ['LLM_BASE_URL', 'LLM_MODEL'] : [];
  const known = [...SETTING_NAMES, ...modelKeyVariables(env)];
  return Configuration.read(env, APP_SETTINGS, optional, misspelledSettings(env, known));
}

/** Settings that are given in code, by the names of their variables. An absent one has its default. */
export type GivenSettings = Readonly<Record<string, string | number | boolean | undefined>>;

/**
 * Settings in code as an environment that holds nothing else.
 *
 * @throws ConfigurationError that names the settings that do not exist
 */
export function environmentOf(given: GivenSettings): NodeJS.ProcessEnv {
  const models = given['LLM_MODELS'];
  const known = [...SETTING_NAMES, ...(typeof models === 'string' ? modelKeyVariables({ LLM_MODELS: models }) : [])];
  const unknown = Object.keys(given).filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    throw new ConfigurationError(unknown.map((name) => ({ name, message: 'is not a setting' })));
  }
  const entries = Object.entries(given).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]));
}
