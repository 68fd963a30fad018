import { DiscoveryService, ModulesContainer } from '@nestjs/core';
import { readSettings } from '../../config/index.js';
import { AppError, type Authority, type JsonObject, patched, SequentialIds, SystemClock } from '../../common/index.js';
import { type AgentEvent, type Message, ResponseBuilder, StreamGrammar } from '../../events/index.js';
import { FREE_USAGE, type UsageMeter } from '../../usage/index.js';
import { type AuditNote, NO_RESUMPTION, type Resumption } from '../interrupt/index.js';
import {
  SchemaValidator,
  type ServerTool,
  type ToolDeclaration,
  ToolInvoker,
  ToolRegistry,
  ToolSettings,
} from '../tools/index.js';
import { ALLOW_ALL } from '../tools/testing/allow-all.js';
import { ConfiguredModels } from '../adapters/configured-models.js';
import type { Agent, AgentContext, AgentOutcome } from '../agent.js';
import { AgentRegistry } from '../agent-registry.js';
import { AgentShapes } from '../agent-shapes.js';
import { AgentSettings } from '../agent.settings.js';
import { stateOfStep } from '../loop/model-step.js';
import { ModelLoop } from '../model-loop.js';
import type { ModelClient, ModelOptions } from '../ports/model-client.js';
import { MemoryJournal } from './memory-journal.js';

/** What a test may choose of a run. */
export interface TestRunOptions {
  readonly sessionId?: string;
  readonly input?: readonly Message[];
  readonly history?: readonly Message[];
  /** As `TestRun.states` of earlier runs. */
  readonly providerStates?: ReadonlyMap<string, string>;
  readonly callEnds?: ReadonlyMap<string, string>;
  readonly clientTools?: readonly ToolDeclaration[];
  readonly journal?: MemoryJournal;
  readonly state?: JsonObject;
  readonly attempt?: number;
  readonly shownCallIds?: readonly string[];
  readonly instructions?: string;
  readonly modelOptions?: ModelOptions;
  readonly resumption?: Resumption;
  readonly authority?: Authority;
  readonly usage?: UsageMeter;
  /** Answers questions. */
  readonly interrupt?: AgentContext['interrupt'];
}

/** A run with all that an executor would give it, in memory. */
export class TestRun {
  readonly events: AgentEvent[] = [];
  readonly notes: AuditNote[] = [];
  readonly journal: MemoryJournal;
  readonly abort = new AbortController();
  private readonly stopped = new Promise<never>((_, reject) => {
    const { signal } = this.abort;
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
  readonly context: AgentContext;
  state: JsonObject;

  constructor(options: TestRunOptions = {}) {
    this.stopped.catch(() => undefined);
    this.journal = options.journal ?? new MemoryJournal();
    this.state = options.state ?? {};
    this.context = {
      runId: 'run-0123456789',
      sessionId: options.sessionId ?? 'session-1',
      agentType: 'worker',
      attempt: options.attempt ?? 1,
      shownCallIds: options.shownCallIds ?? [],
      principal: { tenantId: 'default', userId: 'user-1' },
      authority: options.authority ?? null,
      input: options.input ?? [userMessage('Hello')],
      inputText: 'Hello',
      history: options.history ?? [],
      ...(options.providerStates && { providerStates: options.providerStates }),
      ...(options.callEnds && { callEnds: options.callEnds }),
      state: {
        get: () => this.state,
        set: (state) => (this.state = state),
        patch: (operations, limits) => {
          try {
            this.state = patched(this.state, operations, limits) as JsonObject;
          } catch (cause) {
            throw new AppError('AGENT_ERROR', 'The patch does not fit', { cause });
          }
        },
      },
      clientTools: options.clientTools ?? [],
      modelOptions: options.modelOptions ?? {},
      clientTime: undefined,
      timeZone: 'UTC',
      locale: null,
      requestedAt: Date.UTC(2026, 2, 16, 16, 9, 13),
      forwardedProps: {},
      resumption: options.resumption ?? NO_RESUMPTION,
      interrupt: options.interrupt ?? (() => Promise.reject(new Error('This test answers no questions'))),
      audit: (note) => this.notes.push(note),
      instructions: options.instructions ?? '',
      response: new ResponseBuilder({ ids: new SequentialIds(), sink: (event) => this.events.push(event) }),
      journal: this.journal,
      usage: options.usage ?? FREE_USAGE,
      signal: this.abort.signal,
      emit: (event) => this.events.push(event),
      flush: () => Promise.resolve(),
      waitForTurn: (turn) => Promise.race([turn, this.stopped]),
    };
  }

  /** Drives an agent to its outcome. */
  async drive(agent: Agent): Promise<AgentOutcome> {
    const run = agent.run(this.context);
    for (let next = await run.next(); ; next = await run.next()) {
      if (next.done) return next.value ?? { kind: 'completed' };
    }
  }

  /** The messages so far, whole. */
  get messages(): readonly Message[] {
    return this.context.response.getResponseData().output ?? [];
  }

  /** What providers want back with the messages, as the ledger would store it. */
  get states(): ReadonlyMap<string, string> {
    const states = new Map<string, string>();
    for (const { output, messageIds } of this.journal.writes) {
      const state = output && stateOfStep(output);
      const last = messageIds.at(-1);
      if (state && last !== undefined) states.set(last, JSON.stringify(state));
    }
    return states;
  }

  /** Ends the response and proves that the whole stream is legal. */
  expectLegalStream(): void {
    this.context.response.completed();
    const grammar = new StreamGrammar();
    for (const event of this.events) grammar.accept(event);
    if (!grammar.terminated) throw new Error('The stream did not end');
  }
}

/** The settings of the loop and of its tools. */
export interface LoopSettings {
  readonly agent: AgentSettings;
  readonly tools: ToolSettings;
}

/** The settings of the loop from these variables alone. */
export function loopSettings(env: NodeJS.ProcessEnv = {}): LoopSettings {
  return {
    agent: readSettings(AgentSettings, env),
    tools: readSettings(ToolSettings, { TOOL_TIMEOUT_MS: '1000', ...env }),
  };
}

/** An agent that is nothing but the loop. */
export function loopAgent(
  client: ModelClient,
  tools: readonly ServerTool[] = [],
  settings = loopSettings(),
  policy = ALLOW_ALL,
): Agent {
  const registry = new ToolRegistry([{ name: 'test', list: () => Promise.resolve(tools) }]);
  const loop = new ModelLoop(
    testShapes(client, settings.agent),
    registry,
    new ToolInvoker(new SchemaValidator(), policy, settings.tools),
    settings.agent,
    new SystemClock(),
  );
  return { run: (context) => loop.run(context, { systemPrompt: 'Be brief.' }) };
}

/** Of a process that has this model and no registered agents. */
export function testShapes(client: ModelClient, settings = loopSettings().agent): AgentShapes {
  const create = (): never => {
    throw new Error('This test has one model');
  };
  const models = new ConfiguredModels({ main: client, named: [], create });
  return new AgentShapes(
    new AgentRegistry(new DiscoveryService(new ModulesContainer()), settings, models),
    models,
    settings,
  );
}

export function serverTool(name: string, overrides: Partial<ServerTool> = {}): ServerTool {
  return {
    name,
    description: name,
    parameters: { type: 'object' },
    effects: 'none',
    timeoutMs: 1000,
    origin: { kind: 'local' },
    invoke: () => Promise.resolve(`${name} done`),
    ...overrides,
  };
}

export function userMessage(words: string, id = 'msg_user'): Message {
  return testMessage({ id, role: 'user', content: [textContent(words)] });
}

export function textContent(words: string): NonNullable<Message['content']>[number] {
  return { object: 'content', type: 'text', status: 'completed', index: 0, delta: false, msg_id: null, text: words };
}

export function dataMessage(type: Message['type'], data: JsonObject, role: Message['role'] = 'assistant'): Message {
  const content = {
    object: 'content',
    type: 'data',
    status: 'completed',
    index: 0,
    delta: false,
    msg_id: null,
    data,
  } as const;
  return testMessage({ type, role, content: [content] });
}

export function testMessage(fields: Partial<Message>): Message {
  return {
    object: 'message',
    status: 'completed',
    id: 'msg_test',
    type: 'message',
    role: 'assistant',
    content: [],
    code: null,
    message: null,
    usage: null,
    metadata: null,
    ...fields,
  };
}

/** The code of the AppError that a promise is rejected with. */
export async function rejectionCode(promise: Promise<unknown>): Promise<string> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return error instanceof AppError ? error.code : `no AppError: ${String(error)}`;
}
