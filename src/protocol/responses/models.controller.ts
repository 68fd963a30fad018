import { Get, Param } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Caller, Needs } from '../../access/index.js';
import { AgentRegistry, isRemoteAgent, type RegisteredAgent } from '../../agent/index.js';
import { openAiPaths } from '../openai/index.js';
import { WireController } from '../wire/index.js';
import { ApiRoute, TAG } from './api-docs.js';
import { notFound } from './responses.errors.js';
import { ResponsesWire } from './responses.wire.js';

/** An agent in the format of a model. */
export interface Model {
  /** The agent's name, which a request gives as `model`. */
  readonly id: string;
  readonly object: 'model';
  /** Seconds since the epoch. Agents have no creation time, so it is the same for all. */
  readonly created: number;
  readonly owned_by: string;
}

/** Agents have no date of creation, but clients need a number. */
const CREATED = 1_700_000_000;

/** `/models`: the agents that the caller may run, which a request can name as its model (contract responses, section A1). */
@ApiTags(TAG)
@Needs('runs:read')
@WireController(ResponsesWire, openAiPaths('models'))
export class ModelsController {
  constructor(private readonly agents: AgentRegistry) {}

  @Get()
  @ApiRoute('List the agents', 'Each can be used as `model`. Any other name selects the default agent.', [])
  list(@Caller() { authority }: Caller): { readonly object: 'list'; readonly data: readonly Model[] } {
    return { object: 'list', data: this.agents.listFor(authority).map(modelOf) };
  }

  @Get(':modelId')
  @ApiRoute('Retrieve an agent', 'The item as in the list.', [404])
  find(@Param('modelId') id: string, @Caller() { authority }: Caller): Model {
    if (!this.agents.isKnownTo(authority, id)) throw notFound('RESOURCE_NOT_FOUND', 'Model', id, 'model');
    return modelOf(this.agents.get(id));
  }
}

/** Agents that send conversations to other servers are marked by their owner. */
function modelOf({ name, agent }: RegisteredAgent): Model {
  return { id: name, object: 'model', created: CREATED, owned_by: isRemoteAgent(agent) ? 'remote' : 'parley' };
}
