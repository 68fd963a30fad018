import { Injectable } from '@nestjs/common';
import type { Caller } from '../../access/index.js';
import { AgentRegistry, type RegisteredAgent } from '../../agent/index.js';
import { AppError, fingerprint, IdFactory, type Principal, type Requester, userReach } from '../../common/index.js';
import { type RunChain, RunChains } from '../../run/index.js';
import { Sessions } from '../../agent/session/index.js';
import { fieldError } from '../http/index.js';
import { submissionIn } from '../wire/index.js';
import { A2aError } from './a2a.errors.js';
import type { SendRequest, Version } from './a2a.types.js';
import { Tasks } from './tasks.js';

/** What a request specifies outside of its body. */
export interface SendOptions {
  readonly version: Version;
  /** The agent of the address; absent: the default one. */
  readonly agentType?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  /** Those that the request activates. */
  readonly extensions: ReadonlySet<string>;
}

/** Where a message goes. */
export interface Place {
  readonly principal: Principal;
  /** The rights with which its run starts. */
  readonly requester: Requester | null;
  readonly contextId: string;
  /** False: the server has chosen the context. */
  readonly isNamed: boolean;
  readonly agent: RegisteredAgent;
  /** The task that waits for it; undefined: a new one. */
  readonly waiting: RunChain | undefined;
}

/** Finds where messages go (contract a2a, section 6.4). */
@Injectable()
export class Placement {
  constructor(
    private readonly chains: RunChains,
    private readonly tasks: Tasks,
    private readonly sessions: Sessions,
    private readonly agents: AgentRegistry,
    private readonly ids: IdFactory,
  ) {}

  /** @throws A2aError TASK_NOT_FOUND; AppError for a context that is not that of the task, AGENT_NOT_FOUND */
  async of(request: SendRequest, options: SendOptions, caller: Caller): Promise<Place> {
    const { taskId, contextId } = request.message;
    if (taskId === undefined) return this.newPlace(request, options, caller);
    const named = await this.tasks.find(caller.reach, taskId, options.agentType);
    if (contextId !== undefined && contextId !== named.root.sessionId) {
      throw fieldError('message.contextId', 'is not the context of the task', 'INVALID_PARAMETER');
    }
    return this.placeOf(named, caller);
  }

  /** @throws A2aError UNSUPPORTED_OPERATION unless the task waits for a message */
  assertTakes({ waiting: chain }: Place): void {
    if (!chain) return;
    const state = this.tasks.stateOf(chain);
    if (state === 'input-required') return;
    if (state === 'auth-required') throw elsewhere(chain);
    const isOver = state !== 'submitted' && state !== 'working';
    const sentence = isOver ? `The task is over: ${state}` : 'The task is still working';
    throw new A2aError('UNSUPPORTED_OPERATION', sentence, { taskId: chain.root.runId });
  }

  private placeOf(chain: RunChain, caller: Caller): Place {
    const { root } = chain;
    const principal = { tenantId: root.tenantId, userId: root.userId };
    const agent = this.agentOf(root.agentType, caller);
    const { requester } = caller.submitter(caller.headerUser());
    return { principal, requester, contextId: root.sessionId, isNamed: true, agent, waiting: chain };
  }

  private async newPlace({ message }: SendRequest, options: SendOptions, caller: Caller): Promise<Place> {
    const agent = this.agentOf(options.agentType, caller);
    const { contextId, isNamed } = this.contextOf(message.contextId, options, agent, caller);
    const names = { named: caller.headerUser(), unnamed: contextId };
    const { principal, requester } = await submissionIn(this.sessions, caller, contextId, names);
    if (message.contextId === undefined) return { principal, requester, contextId, isNamed, agent, waiting: undefined };
    const { items } = await this.chains.list(userReach(principal), {
      limit: 1,
      sessionId: contextId,
      states: [{ state: 'waiting' }],
      ...(options.agentType !== undefined && { agentType: options.agentType }),
    });
    const [waiting] = items;
    // The next message of the context is not for a task that people decide elsewhere.
    const takes = waiting && this.tasks.stateOf(waiting) === 'input-required' ? waiting : undefined;
    return {
      principal,
      requester,
      contextId,
      isNamed,
      agent: takes ? this.agentOf(takes.root.agentType, caller) : agent,
      waiting: takes,
    };
  }

  /** The context of a message without a task. With a key of the client and no context, the same key is the same one. */
  private contextOf(
    given: string | undefined,
    { idempotencyKey }: SendOptions,
    agent: RegisteredAgent,
    caller: Caller,
  ): { readonly contextId: string; readonly isNamed: boolean } {
    if (given !== undefined) return { contextId: given, isNamed: true };
    if (idempotencyKey === undefined) return { contextId: this.ids.uuid(), isNamed: false };
    const { tenantId, userId } = caller.actingFor(caller.headerUser(), '');
    const hash = fingerprint(['a2a-context', tenantId, userId, agent.name, idempotencyKey]);
    const uuid = [
      hash.slice(0, 8),
      hash.slice(8, 12),
      `8${hash.slice(13, 16)}`,
      `a${hash.slice(17, 20)}`,
      hash.slice(20, 32),
    ];
    return { contextId: uuid.join('-'), isNamed: true };
  }

  /** @throws AppError AGENT_NOT_FOUND */
  private agentOf(named: string | undefined, { authority }: Caller): RegisteredAgent {
    const name = named ?? this.agents.defaultName;
    const isOffered = this.agents.isKnownTo(authority, name) || (!authority && name === this.agents.defaultName);
    if (!isOffered) throw new AppError('AGENT_NOT_FOUND', `There is no agent ${name}`);
    return this.agents.get(name);
  }
}

function elsewhere({ root }: RunChain): A2aError {
  return new A2aError('UNSUPPORTED_OPERATION', 'The task waits for the decision of a person, elsewhere', {
    taskId: root.runId,
  });
}
