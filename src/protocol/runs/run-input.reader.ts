import { Injectable } from '@nestjs/common';
import type { Caller } from '../../access/index.js';
import { AgentRegistry } from '../../agent/index.js';
import { decodeRunsInput } from './input/run-input.decoder.js';
import type { RunInput } from './input/run-input.js';
import { RunsApiSettings } from './runs-api.settings.js';

/** Checks and decodes the body of `POST /runs`. */
@Injectable()
export class RunInputReader {
  constructor(
    private readonly agents: AgentRegistry,
    private readonly settings: RunsApiSettings,
  ) {}

  /** @throws AppError as `decodeRunsInput`; an agent that the caller may not run is unknown */
  read(body: unknown, { authority }: Caller): RunInput {
    return decodeRunsInput(body, {
      isKnownAgent: (name) => this.agents.isKnownTo(authority, name),
      onInvalidClientTime: this.settings.onInvalidClientTime,
    });
  }
}
