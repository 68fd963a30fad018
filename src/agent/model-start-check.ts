import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { tryModel } from './model-check.js';
import { ModelSettings } from './model.settings.js';
import { ModelClient } from './ports/model-client.js';

/** Asks the configured model for one word when a server has started, so that a wrong setting is seen before a run fails. */
@Injectable()
export class ModelStartCheck implements BeforeApplicationShutdown {
  private readonly logger = new Logger('Model');
  private readonly stop = new AbortController();

  constructor(
    private readonly model: ModelClient,
    private readonly settings: ModelSettings,
  ) {}

  /**
   * Makes one small request and logs whether an answer begins. Never fails; makes none for the offline model, and none
   * with `LLM_START_CHECK=false`.
   */
  async run(): Promise<void> {
    const { server, triesAtStart } = this.settings;
    if (!triesAtStart || server.kind === 'offline') return;
    const began = performance.now();
    const { name, address } = this.model.info;
    const shown = address === undefined ? name : `${name} at ${address}`;
    try {
      await tryModel(this.model, this.stop.signal);
      this.logger.log(`${shown} answers, after ${Math.round(performance.now() - began)} ms`);
    } catch {
      // Why is in the log already: the client says it once for each new failure.
      if (!this.stop.signal.aborted) this.logger.warn(`${shown} has not answered the request of the start`);
    }
  }

  /** The request does not delay the end of the process. */
  beforeApplicationShutdown(): void {
    this.stop.abort();
  }
}
