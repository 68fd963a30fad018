import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { LocalToolSource } from './local/local-tool-source.js';
import { CurrentTimeTool } from './local/current-time.tool.js';
import { McpToolSource } from './mcp/mcp-tool-source.js';
import { loadPolicy } from './policy/load-policy.js';
import { ToolPolicy } from './policy/tool-policy.js';
import { SchemaValidator } from './schema-validator.js';
import { ToolInvoker } from './tool-invoker.js';
import { ToolRegistry } from './tool-registry.js';
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
      useFactory: (local: LocalToolSource, mcp: McpToolSource) => new ToolRegistry([local, mcp]),
      inject: [LocalToolSource, McpToolSource],
    },
  ],
  exports: [SchemaValidator, ToolInvoker, ToolRegistry],
})
export class ToolsModule {}
