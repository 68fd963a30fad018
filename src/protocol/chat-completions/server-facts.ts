import { Injectable } from '@nestjs/common';
import type { Caller } from '../../access/index.js';
import { AgentRegistry } from '../../agent/index.js';
import { IdFactory, type Principal } from '../../common/index.js';
import { ToolRegistry } from '../../tools/index.js';
import { idOfKey } from '../openai/index.js';
import { ID_PREFIX, WIRE } from './completion-info.js';

/** What requests need to know of the server: its agents, its tools and new ids. */
@Injectable()
export class ServerFacts {
  constructor(
    private readonly agents: AgentRegistry,
    private readonly tools: ToolRegistry,
    private readonly ids: IdFactory,
  ) {}

  /** A model that is an agent the caller may run selects it; any other name is only repeated in the answer. */
  agentType(model: string | undefined, { authority }: Caller): string {
    return model !== undefined && this.agents.isKnownTo(authority, model) ? model : this.agents.defaultName;
  }

  /** The first of the names that a tool of the server has; undefined if none has. */
  async takenName(names: readonly string[]): Promise<string | undefined> {
    if (names.length === 0) return undefined;
    const taken = new Set((await this.tools.list()).map(({ name }) => name));
    return names.find((name) => taken.has(name));
  }

  /** The id of a new completion; derived from the key of the request, so that a repeated request is recognized. */
  completionId(key: string | undefined, caller: Caller, owner: Principal): string {
    return key === undefined ? this.ids.next(ID_PREFIX) : `${ID_PREFIX}${idOfKey(WIRE, key, caller, owner)}`;
  }

  newId(prefix: string): string {
    return this.ids.next(prefix);
  }

  /** 64 random bits in hexadecimal digits. */
  newToken(): string {
    return this.ids.uuid().replaceAll('-', '').slice(-16);
  }
}
