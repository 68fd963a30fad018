import { type DynamicModule, Global, Module, type ModuleMetadata, type Provider } from '@nestjs/common';
import { AccessModule, AccessSettings, ActorStanding, OwnerRates } from './access/index.js';
export { createConfiguredClient } from './agent/adapters/index.js';
import {
  createModelClient,
  createModels,
  createRemoteAgents,
  type GivenModels,
  type ProviderOptions,
} from './agent/adapters/index.js';
import {
  AgentModule,
  AgentSettings,
  type ModelClient,
  Models,
  ModelSettings,
  type ModelSource,
  RemoteAgents,
  RemoteMetrics,
  RemoteSettings,
  WORKER,
} from './agent/index.js';
import { AttachmentModule, AttachmentReader, AttachmentSource } from './agent/attachment/index.js';
import { AuditModule } from './audit/index.js';
import { ChoresModule } from './chores/index.js';
import { CarriedHeaders, Clock, IdFactory, Metrics, TimeOrderedIds, SystemClock } from './common/index.js';
import { ConfigModule, Configuration, Fingerprints, ServerSettings } from './config/index.js';
import { Database, DatabaseModule, DatabaseSettings, type SchemaExtension } from './database/index.js';
import { DataProtectionModule, type UserExporter } from './data-protection/index.js';
import { HealthModule, ReadinessProbe, RemoteAgentsProbe, ToolServersProbe } from './health/index.js';
import { OutboxModule } from './outbox/index.js';
import { HttpModule } from './protocol/http/index.js';
import { ProtocolModule, type WireName } from './protocol/protocol.module.js';
import { FleetSettings, RunLimits, RunModule } from './run/index.js';
import { RetentionModule } from './retention/index.js';
import {
  CALENDAR_EXPORT,
  OfflineModelClient,
  SAMPLES_SCHEMA,
  SamplesModule,
  SamplesSettings,
} from './samples/index.js';
import { ScheduleRights, SchedulesModule } from './schedules/index.js';
import { LoggingModule, LoggingSettings, TelemetryModule } from './telemetry/index.js';
import { ToolRegistry, ToolSettings, ToolsModule } from './agent/tools/index.js';
import { UsageModule } from './usage/index.js';
import { WebhooksModule } from './webhooks/index.js';
import { UserSettingsModule } from './user-settings/index.js';

/** Time, identity and counting, for everybody. */
@Global()
@Module({
  providers: [
    { provide: Clock, useClass: SystemClock },
    { provide: IdFactory, useClass: TimeOrderedIds },
    Metrics,
    CarriedHeaders,
  ],
  exports: [Clock, IdFactory, Metrics, CarriedHeaders],
})
class CommonModule {}

/** What a team adds to the server: providers with `@AgentType()` or `@AgentTool()`, modules that hold some, and a model. */
export interface Extensions extends Pick<ModuleMetadata, 'imports' | 'providers'> {
  /** Answers instead of the configured model server (docs/models.md). */
  readonly model?: ModelSource | undefined;
  /** Models by name, for agents that choose one; they precede those of `LLM_MODELS` (docs/models.md#several-models). */
  readonly models?: GivenModels['models'];
  /** True: `model` answers for all agents but those that choose one of `models`. For tests. */
  readonly isModelForAll?: boolean | undefined;
  /** Options of the providers of models of the AI SDK, by their names, for every call (docs/models.md#provider-options). */
  readonly providerOptions?: ProviderOptions | undefined;
  /** The wires that are served. Default: all. */
  readonly wires?: readonly WireName[] | undefined;
}

/** What every feature writes into, and for how long it is kept: chores, the audit trail, erasures, and what is spent. */
const BOOKS = [ChoresModule, RetentionModule, AuditModule, DataProtectionModule, UsageModule];

/** The composition root: the only place where ports meet adapters. */
@Module({})
export class AppModule {
  static forRoot(configuration: Configuration, extensions: Extensions = {}): DynamicModule {
    const hasSamples = configuration.get(SamplesSettings).hasTools;
    return {
      module: AppModule,
      imports: [
        ConfigModule.forRoot(configuration),
        LoggingModule.forRoot(configuration.get(LoggingSettings)),
        CommonModule,
        TelemetryModule,
        AccessModule,
        DatabaseModule.forRoot(configuration.get(DatabaseSettings), schemaExtensionsOf(configuration)),
        ...BOOKS,
        AgentModule.forRoot({
          models: {
            provide: Models,
            useFactory: (settings: ModelSettings, attachments: AttachmentReader) =>
              createModels(
                createModel(settings, attachments, extensions.model, extensions.providerOptions),
                settings,
                attachments,
                extensions,
              ),
            inject: [ModelSettings, AttachmentReader],
          },
          remotes: remotesOf(configuration),
          hasWorker: hasSamples || configuration.get(AgentSettings).defaultAgent === WORKER,
        }),
        UserSettingsModule,
        AttachmentModule,
        ...(hasSamples ? [SamplesModule] : []),
        RunModule.forRoot({ provide: RunLimits, useExisting: OwnerRates }),
        OutboxModule,
        // Without authentication, whoever asks is on this machine.
        WebhooksModule.forRoot(!configuration.get(AccessSettings).isAuthenticated),
        SchedulesModule.forRoot({ provide: ScheduleRights, useExisting: ActorStanding }),
        // A worker has no wires: only health pages, and errors in the common form.
        configuration.get(FleetSettings).role === 'worker' ? HttpModule : ProtocolModule.forWires(extensions.wires),
        HealthModule.forRoot({
          readiness: { provide: ReadinessProbe, useExisting: Database },
          toolServers: { provide: ToolServersProbe, useExisting: ToolRegistry },
          remoteAgents: { provide: RemoteAgentsProbe, useExisting: RemoteAgents },
          imports: [ToolsModule],
        }),
        ...(extensions.imports ?? []),
      ],
      providers: [...(extensions.providers ?? [])],
    };
  }
}

/** The remote agents of the settings. */
function remotesOf(configuration: Configuration): Provider<RemoteAgents> {
  const settings = {
    remote: configuration.get(RemoteSettings),
    server: configuration.get(ServerSettings),
    tools: configuration.get(ToolSettings),
  };
  return {
    provide: RemoteAgents,
    useFactory: (
      attachments: AttachmentSource,
      metrics: RemoteMetrics,
      fingerprints: Fingerprints,
      carries: CarriedHeaders,
    ) => createRemoteAgents(settings, { attachments, metrics, fingerprints, carries }),
    inject: [AttachmentSource, RemoteMetrics, Fingerprints, CarriedHeaders],
  };
}

/** The tables that a server with this configuration has besides those of the core schema. */
export function schemaExtensionsOf(configuration: Configuration): readonly SchemaExtension[] {
  return configuration.get(SamplesSettings).hasTools ? [SAMPLES_SCHEMA] : [];
}

/**
 * The database that the environment names, and its tables: for what opens it without a server.
 *
 * @throws ConfigurationError
 */
export function readDatabase(env: NodeJS.ProcessEnv): {
  readonly settings: DatabaseSettings;
  readonly extensions: readonly SchemaExtension[];
  /** Of what is stored of users in the tables of the extensions. */
  readonly exporters: readonly UserExporter[];
} {
  // A database needs no model, which SAMPLES=off requires of a server.
  const configuration = Configuration.read(env, [DatabaseSettings, SamplesSettings], ['LLM_BASE_URL', 'LLM_MODEL']);
  const exporters = configuration.get(SamplesSettings).hasTools ? [CALENDAR_EXPORT] : [];
  return { settings: configuration.get(DatabaseSettings), extensions: schemaExtensionsOf(configuration), exporters };
}

/** The given model, the configured model server, or the offline demo model, which SAMPLES=off leaves out. */
export function createModel(
  settings: ModelSettings,
  attachments: AttachmentReader,
  given?: ModelSource,
  providerOptions?: ProviderOptions,
): ModelClient {
  const isOffline = given === undefined && settings.server.kind === 'offline';
  return isOffline ? new OfflineModelClient() : createModelClient(settings, attachments, given, providerOptions);
}
