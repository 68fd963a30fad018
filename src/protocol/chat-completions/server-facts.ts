import { Injectable, Logger } from '@nestjs/common';
import type { Caller } from '../../access/index.js';
import { AgentRegistry } from '../../agent/index.js';
import { AppError, IdFactory, type JsonObject, type Principal } from '../../common/index.js';
import { listedTools, SchemaValidator, ToolRegistry } from '../../agent/tools/index.js';
import { fieldError } from '../http/bodies/field-reader.js';
import { idOfKey } from '../openai/index.js';
import { ID_PREFIX, WIRE } from './completion-info.js';
import type { DecodedTools } from './tool.decoder.js';

/** How many schemas are remembered that were found to be valid: clients send the same ones with every request. */
const KNOWN_SCHEMAS = 500;
const SESSION_PREFIX = 'chat_';

/** What requests need to know of the server: its agents, its tools and new ids. */
@Injectable()
export class ServerFacts {
  private readonly logger = new Logger(ServerFacts.name);
  private readonly validSchemas = new Set<string>();

  constructor(
    private readonly agents: AgentRegistry,
    private readonly tools: ToolRegistry,
    private readonly schemas: SchemaValidator,
    private readonly ids: IdFactory,
  ) {}

  /** A model that is an agent the caller may run selects it; any other name is only repeated in the answer. */
  agentType(model: string | undefined, { authority }: Caller): string {
    return model !== undefined && this.agents.isKnownTo(authority, model) ? model : this.agents.defaultName;
  }

  /** @throws AppError INVALID_PARAMETER for a tool with the name of one of the agent's, or an unusable schema */
  async checkTools({ declared, skipped }: DecodedTools, agentType: string): Promise<void> {
    if (skipped.length > 0) this.logger.debug(`Skipped tools of the types ${[...new Set(skipped)].join(', ')}`);
    if (declared.length === 0) return;
    const { tools: list } = this.agents.shapeOf(agentType);
    const taken = new Set(listedTools(await this.tools.list(), list ? [list] : []).map(({ name }) => name));
    for (const { name, parameters, path } of declared) {
      if (taken.has(name)) {
        throw fieldError(`${path}.name`, `is the name of a tool of the server: ${name}`, 'INVALID_PARAMETER');
      }
      this.checkSchema(name, parameters, `${path}.parameters`);
    }
  }

  /** The id of a new completion; derived from the key of the request, so that a repeated request is recognized. */
  completionId(key: string | undefined, caller: Caller, owner: Principal): string {
    return key === undefined ? this.ids.next(ID_PREFIX) : `${ID_PREFIX}${idOfKey(WIRE, key, caller, owner)}`;
  }

  /**
   * The id of a session for one request. Without authentication it names the owner of the run, so that requests with one
   * key, at the same time at two instances, must have the same.
   */
  sessionId(key: string | undefined, caller: Caller, owner: Principal): string {
    if (key === undefined) return this.ids.next(SESSION_PREFIX);
    return SESSION_PREFIX + idOfKey(`${WIRE} session`, key, caller, owner);
  }

  /** 64 random bits in hexadecimal digits. */
  newToken(): string {
    return this.ids.uuid().replaceAll('-', '').slice(-16);
  }

  private checkSchema(name: string, schema: JsonObject, path: string): void {
    const text = JSON.stringify(schema);
    if (this.validSchemas.has(text)) return;
    try {
      this.schemas.checkUntrusted(name, schema);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      throw new AppError(error.code, error.message, { details: [{ path, message: error.message }] });
    }
    if (this.validSchemas.size >= KNOWN_SCHEMAS) this.validSchemas.clear();
    this.validSchemas.add(text);
  }
}
