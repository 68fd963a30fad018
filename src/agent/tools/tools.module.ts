import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { Metrics } from '../../common/index.js';
import { LocalToolSource } from './adapters/local/local-tool-source.js';
import { CurrentTimeTool } from './current-time.tool.js';
import { McpToolSource } from './adapters/mcp/mcp-tool-source.js';
import { loadPolicy } from './policy/policy-parser.js';
import { ToolPolicy } from './policy/tool-policy.js';
import { SchemaValidator } from './schema-validator.js';
import { ToolInvoker } from './tool-invoker.js';
import { ToolRegistry } from './tool-registry.js';
import { showServers } from './tool.metrics.js';
import { ToolSettings } from './tools.settings.js';

/**
 * The server's tools, the policy for their calls, and the invoker. Needs the settings and `Clock` from
 * global modules.
 */
@Module({
  imports: [DiscoveryModule],
  providers: [
    SchemaValidator,
    ToolInvoker,
    { provide: ToolPolicy, useFactory: loadPolicy, inject: [ToolSettings] },
    LocalToolSource,
    McpToolSource,
    CurrentTimeTool,
    {
      provide: ToolRegistry,
      useFactory: (local: LocalToolSource, mcp: McpToolSource, metrics: Metrics) => {
        const registry = new ToolRegistry([local, mcp]);
        showServers(registry, metrics);
        return registry;
      },
      inject: [LocalToolSource, McpToolSource, Metrics],
    },
  ],
  exports: [SchemaValidator, ToolInvoker, ToolRegistry],
})
export class ToolsModule {}
