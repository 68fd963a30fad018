import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { AppError, type JsonObject } from '../../../../common/index.js';
import { ToolSettings } from '../../tools.settings.js';
import { agentToolOptions, type AgentToolMethod, type AgentToolOptions } from '../../agent-tool.decorator.js';
import { SchemaValidator } from '../../schema-validator.js';
import { ToolSource } from '../../ports/tool-source.js';
import type { ServerTool } from '../../tool.js';
import { argumentInstance, withInitialValues } from './argument-class.js';
import { dtoSchema } from './dto-schema.js';

/** The function names that model providers accept. */
const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** The tools of this process: all methods with `@AgentTool()`, of any provider in any module. */
@Injectable()
export class LocalToolSource extends ToolSource implements OnModuleInit {
  readonly name = 'local';
  private readonly logger = new Logger(LocalToolSource.name);
  private tools: readonly ServerTool[] = [];

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly validator: SchemaValidator,
    private readonly settings: ToolSettings,
  ) {
    super();
  }

  /** @throws AppError CONFIGURATION_ERROR for an invalid or duplicate name or a schema that does not compile */
  onModuleInit(): void {
    const tools = new Map<string, ServerTool>();
    for (const tool of this.discover()) {
      if (tools.has(tool.name)) throw new AppError('CONFIGURATION_ERROR', `Two tools are named "${tool.name}"`);
      tools.set(tool.name, tool);
    }
    this.tools = [...tools.values()];
    this.logger.log(`Tools: ${this.tools.map((tool) => tool.name).join(', ') || 'none'}`);
  }

  list(): Promise<readonly ServerTool[]> {
    return Promise.resolve(this.tools);
  }

  private discover(): ServerTool[] {
    const instances = new Set<object>();
    for (const wrapper of this.discovery.getProviders()) {
      const instance: unknown = wrapper.isDependencyTreeStatic() ? wrapper.instance : undefined;
      if (typeof instance === 'object' && instance !== null) instances.add(instance);
    }
    return [...instances].flatMap((instance) => this.toolsOf(instance));
  }

  private toolsOf(instance: object): ServerTool[] {
    const prototype: unknown = Object.getPrototypeOf(instance);
    if (typeof prototype !== 'object' || prototype === null) return [];
    return this.scanner.getAllMethodNames(prototype).flatMap((methodName) => {
      const method: unknown = Reflect.get(prototype, methodName);
      const options = agentToolOptions(method);
      return options ? [this.toolOf(instance, method as AgentToolMethod<object>, methodName, options)] : [];
    });
  }

  private toolOf(
    instance: object,
    method: AgentToolMethod<object>,
    methodName: string,
    options: AgentToolOptions,
  ): ServerTool {
    const name = options.name ?? methodName;
    if (!TOOL_NAME.test(name)) {
      throw new AppError(
        'CONFIGURATION_ERROR',
        `"${name}" cannot be the name of a tool: letters, digits, _ and -, at most 64`,
      );
    }
    return {
      name,
      description: options.description,
      parameters: this.schemaOf(name, options),
      effects: options.effects,
      timeoutMs: options.timeoutMs ?? this.settings.timeoutMs,
      origin: { kind: 'local' },
      ...(options.completeArguments && { completeArguments: options.completeArguments }),
      ...callable(instance, method, options),
    };
  }

  private schemaOf(name: string, options: AgentToolOptions): JsonObject {
    try {
      const { parameters } = options;
      const schema = typeof parameters === 'function' ? dtoSchema(parameters) : parameters;
      this.validator.violation(schema, {});
      return schema;
    } catch (cause) {
      throw new AppError('CONFIGURATION_ERROR', `The parameters of tool "${name}" cannot be used: ${reason(cause)}`, {
        cause,
      });
    }
  }
}

/** How the method is called: with an instance of its argument class, if it has one. */
function callable(
  instance: object,
  method: AgentToolMethod<object>,
  { parameters }: AgentToolOptions,
): Pick<ServerTool, 'invoke' | 'withDefaults'> {
  if (typeof parameters !== 'function')
    return { invoke: async (args, context) => method.call(instance, args, context) };
  return {
    withDefaults: (args) => withInitialValues(parameters, args),
    invoke: async (args, context) => method.call(instance, argumentInstance(parameters, args), context),
  };
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
