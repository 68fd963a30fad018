import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { tryModel } from './model-check.js';
import { ModelSettings } from './model.settings.js';
import { type ListedModel, Models } from './ports/models.js';

/** Asks each configured model for one word when a server has started, so that a wrong setting is seen before a run fails. */
@Injectable()
export class ModelStartCheck implements BeforeApplicationShutdown {
  private readonly logger = new Logger('Model');
  private readonly stop = new AbortController();

  constructor(
    private readonly models: Models,
    private readonly settings: ModelSettings,
  ) {}

  /**
   * Makes one small request to each model of the settings and logs whether an answer begins. Never fails; makes none to the
   * offline model, and none at all with `LLM_START_CHECK=false`.
   */
  async run(): Promise<void> {
    if (!this.settings.triesAtStart) return;
    const tried = this.models.all.filter((one) => this.isConfigured(one));
    await Promise.all(tried.map((one) => this.check(one)));
  }

  /** The requests do not delay the end of the process. */
  beforeApplicationShutdown(): void {
    this.stop.abort();
  }

  private isConfigured({ name, isMain }: ListedModel): boolean {
    const { server, named } = this.settings;
    return isMain ? server.kind !== 'offline' : named.some((one) => one.name === name);
  }

  private async check({ name: own, client }: ListedModel): Promise<void> {
    const began = performance.now();
    const { name, address } = client.info;
    const named = own === undefined || own === name ? name : `${own} (${name})`;
    const shown = address === undefined ? named : `${named} at ${address}`;
    try {
      await tryModel(client, this.stop.signal);
      this.logger.log(`${shown} answers, after ${Math.round(performance.now() - began)} ms`);
    } catch {
      // Why is in the log already: the client says it once for each new failure.
      if (!this.stop.signal.aborted) this.logger.warn(`${shown} has not answered the request of the start`);
    }
  }
}
