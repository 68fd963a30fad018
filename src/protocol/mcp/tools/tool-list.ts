import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Caller } from '../../../access/index.js';
import { AgentRegistry, type RegisteredAgent } from '../../../agent/index.js';
import { AppError, type JsonObject, matchesGlob, mayUseTool } from '../../../common/index.js';
import { type ServerTool, ToolRegistry } from '../../../agent/tools/index.js';
import { McpError } from '../mcp.errors.js';
import { McpServerSettings } from '../mcp-server.settings.js';
import { Seals } from '../seals.js';
import { ASK_SCHEMA, GET_ANSWER, RESULT_SCHEMA, STOP_RUN } from './schemas.js';

/** What a name stands for. */
export type NamedTool =
  | { readonly kind: 'agent'; readonly agent: RegisteredAgent }
  | { readonly kind: 'server'; readonly tool: ServerTool }
  | { readonly kind: 'answer' }
  | { readonly kind: 'stop' };

/** Tools of one page. */
const PAGE = 100;
/** Characters of a name at most: clients put the name of the server in front, and some take 64 together. */
const LONGEST_NAME = 60;

/** The tools of the server: its agents, and what goes with them (contract mcp-server, section 5). */
@Injectable()
export class ToolList implements OnModuleInit {
  constructor(
    private readonly agents: AgentRegistry,
    private readonly registry: ToolRegistry,
    private readonly settings: McpServerSettings,
    private readonly seals: Seals,
  ) {}

  /** @throws AppError CONFIGURATION_ERROR for two agents whose tools would have the same name */
  onModuleInit(): void {
    const names = new Map<string, string>([
      [GET_ANSWER, 'this server'],
      [STOP_RUN, 'this server'],
    ]);
    for (const { name, mcpTool } of this.agents.list()) {
      const tool = toolNameOf({ name, mcpTool });
      const other = names.get(tool);
      if (other !== undefined) {
        const message = `The agents "${other}" and "${name}" would both be the MCP tool ${tool}: rename one of them`;
        throw new AppError('CONFIGURATION_ERROR', message);
      }
      names.set(tool, name);
    }
  }

  /** A page of the tools that a caller may use, by name. @throws McpError INVALID_PARAMS for a cursor that no page gave */
  async page(caller: Caller, cursor: unknown): Promise<JsonObject> {
    const from = cursor === undefined ? 0 : this.positionOf(cursor);
    const named = (await this.all(caller)).map((tool) => ({ tool, name: tool['name'] as string }));
    const tools = named.sort((a, b) => (a.name < b.name ? -1 : 1)).map(({ tool }) => tool);
    const next = from + PAGE;
    return {
      tools: tools.slice(from, next),
      ...(tools.length > next && { nextCursor: this.seals.seal('page', { from: next }) }),
    };
  }

  /** @throws McpError INVALID_PARAMS for a tool that is not there, or not for the caller */
  async find(caller: Caller, name: string): Promise<NamedTool> {
    if (name === GET_ANSWER) return { kind: 'answer' };
    if (name === STOP_RUN) return { kind: 'stop' };
    const agent = this.agents.listFor(caller.authority).find((one) => toolNameOf(one) === name);
    if (agent) return { kind: 'agent', agent };
    const tool = (await this.serverTools(caller)).find((one) => one.name === name);
    if (tool) return { kind: 'server', tool };
    throw new McpError('INVALID_PARAMS', `Unknown tool: ${name.slice(0, 100)}`);
  }

  private async all(caller: Caller): Promise<JsonObject[]> {
    const agents = this.agents.listFor(caller.authority).map(agentTool);
    return [...agents, ...RUN_TOOLS, ...(await this.serverTools(caller)).map(serverTool)];
  }

  private async serverTools({ authority }: Caller): Promise<readonly ServerTool[]> {
    const { serverTools } = this.settings;
    if (serverTools.length === 0) return [];
    const taken = new Set([GET_ANSWER, STOP_RUN, ...this.agents.list().map(toolNameOf)]);
    return (await this.registry.list()).filter(
      ({ name }) =>
        !taken.has(name) &&
        serverTools.some((pattern) => matchesGlob(pattern, name, { question: false })) &&
        (!authority || mayUseTool(authority, name)),
    );
  }

  private positionOf(cursor: unknown): number {
    const from = typeof cursor === 'string' ? this.seals.open('page', cursor)?.['from'] : undefined;
    if (typeof from === 'number') return from;
    throw new McpError('INVALID_PARAMS', 'cursor must be the nextCursor of the page before');
  }
}

/** The name of an agent's tool. */
export function toolNameOf({ name, mcpTool }: Pick<RegisteredAgent, 'name' | 'mcpTool'>): string {
  const named = mcpTool?.name ?? `ask_${name}`;
  return named.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, LONGEST_NAME);
}

function agentTool(agent: RegisteredAgent): JsonObject {
  const { name, description, mcpTool } = agent;
  const title = mcpTool?.title ?? name;
  const annotations = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true };
  return {
    name: toolNameOf(agent),
    title,
    description: description === '' ? `Asks the agent ${name}.` : description,
    inputSchema: mcpTool?.parameters ?? ASK_SCHEMA,
    outputSchema: RESULT_SCHEMA,
    annotations: { title, ...annotations, ...mcpTool?.annotations },
  };
}

function serverTool({ name, description, parameters, annotations }: ServerTool): JsonObject {
  return {
    name,
    ...(annotations?.title !== undefined && { title: annotations.title }),
    description,
    inputSchema: parameters,
    ...(annotations && { annotations: { ...annotations } }),
  };
}

const RUN_TOOLS: readonly JsonObject[] = [
  {
    name: GET_ANSWER,
    title: 'Get an answer',
    description:
      'Waits for the answer of a call that was still in progress, or that waited for a person, and returns it. Call it again while the status is in_progress.',
    inputSchema: {
      type: 'object',
      properties: {
        run_id: { type: 'string', description: 'The run_id of the call.' },
        wait_seconds: { type: 'integer', minimum: 0, maximum: 50, default: 50 },
      },
      required: ['run_id'],
      additionalProperties: false,
    },
    outputSchema: RESULT_SCHEMA,
    annotations: { title: 'Get an answer', readOnlyHint: true, openWorldHint: false },
  },
  {
    name: STOP_RUN,
    title: 'Stop a run',
    description: 'Stops a call that is in progress or that waits.',
    inputSchema: {
      type: 'object',
      properties: { run_id: { type: 'string', description: 'The run_id of the call.' } },
      required: ['run_id'],
      additionalProperties: false,
    },
    outputSchema: RESULT_SCHEMA,
    annotations: {
      title: 'Stop a run',
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: true,
      openWorldHint: false,
    },
  },
];
