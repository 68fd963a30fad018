/** What agent and tool authors use. The builder and the fold work without Nest. */
export * from './agent/index.js';
export type { ProviderOptions } from './agent/adapters/index.js';
export { AppModule, type Extensions } from './app.module.js';
export { configureApp, createFastifyAdapter } from './app.setup.js';
export { serve } from './boot/serve.js';
export { startFailure } from './boot/start-failure.js';
export * from './common/index.js';
export { readConfiguration } from './app.settings.js';
export { type Configuration } from './config/index.js';
export * from './embed/index.js';
export * from './events/index.js';
export { type ErasedCounts, type Erasure, type UserCleaner, UserCleaners } from './data-protection/index.js';
export { type ExportedRow, type UserExport, type UserExporter, UserExporters } from './data-protection/index.js';
export { ScheduleDecorator as Schedule, type ScheduleOptions } from './schedules/index.js';
export { AgentTool, type AgentToolOptions, ToolError } from './agent/tools/index.js';
export type { ToolContext, ToolEffects } from './agent/tools/index.js';
