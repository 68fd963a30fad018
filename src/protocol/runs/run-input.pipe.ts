import { Injectable, type PipeTransform } from '@nestjs/common';
import { AgentRegistry } from '../../agent/index.js';
import { AppConfig } from '../../config/index.js';
import { decodeRunInput } from './input/run-input.decoder.js';
import type { RunInput } from './input/run-input.js';

/** Checks and decodes the body of `POST /runs`. */
@Injectable()
export class RunInputPipe implements PipeTransform<unknown, RunInput> {
  constructor(
    private readonly agents: AgentRegistry,
    private readonly config: AppConfig,
  ) {}

  transform(body: unknown): RunInput {
    return decodeRunInput(body, {
      isPublicAgent: (name) => this.agents.isPublic(name),
      onInvalidClientTime: this.config.runsApi.onInvalidClientTime,
    });
  }
}
