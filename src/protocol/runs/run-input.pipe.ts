import { Injectable, type PipeTransform } from '@nestjs/common';
import { AgentRegistry } from '../../agent/index.js';
import { decodeRunInput } from './input/run-input.decoder.js';
import type { RunInput } from './input/run-input.js';
import { RunsApiSettings } from './runs-api.settings.js';

/** Checks and decodes the body of `POST /runs`. */
@Injectable()
export class RunInputPipe implements PipeTransform<unknown, RunInput> {
  constructor(
    private readonly agents: AgentRegistry,
    private readonly settings: RunsApiSettings,
  ) {}

  transform(body: unknown): RunInput {
    return decodeRunInput(body, {
      isPublicAgent: (name) => this.agents.isPublic(name),
      onInvalidClientTime: this.settings.onInvalidClientTime,
    });
  }
}
