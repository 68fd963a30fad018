import { Injectable } from '@nestjs/common';
import { AgentRegistry, type RegisteredAgent } from '../../agent/index.js';
import { notFound } from './responses-refusal.js';

/** An agent, as this wire's clients know models. */
export interface Model {
  readonly id: string;
  readonly object: 'model';
  readonly created: number;
  readonly owned_by: string;
}

/** Agents have no date of birth; clients want a number. */
const CREATED = 1_700_000_000;

/** The agents that a request may name as its model. */
@Injectable()
export class ModelList {
  constructor(private readonly agents: AgentRegistry) {}

  list(): { readonly object: 'list'; readonly data: readonly Model[] } {
    const data = this.agents.list().filter(({ exposure }) => exposure === 'public');
    return { object: 'list', data: data.map(modelOf) };
  }

  /** @throws AppError RESOURCE_NOT_FOUND */
  find(id: string): Model {
    if (!this.agents.isPublic(id)) throw notFound('RESOURCE_NOT_FOUND', 'Model', id, 'model');
    return modelOf(this.agents.get(id));
  }
}

function modelOf({ name }: RegisteredAgent): Model {
  return { id: name, object: 'model', created: CREATED, owned_by: 'parley' };
}
