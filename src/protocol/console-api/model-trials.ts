import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { checkModel, ModelClient, type ModelReport } from '../../agent/index.js';
import { AppError } from '../../common/index.js';

/** Trials of the model that people ask for: one at a time, which everybody who asks meanwhile gets. */
@Injectable()
export class ModelTrials implements BeforeApplicationShutdown {
  private readonly stop = new AbortController();
  private running: Promise<ModelReport> | undefined;

  constructor(private readonly model: ModelClient) {}

  /** @throws AppError SHUTTING_DOWN if the server stops meanwhile */
  async run(): Promise<ModelReport> {
    const report = await (this.running ??= checkModel(this.model, this.stop.signal).finally(
      () => (this.running = undefined),
    ));
    if (this.stop.signal.aborted) throw new AppError('SHUTTING_DOWN');
    return report;
  }

  /** A trial does not delay the end of the process. */
  beforeApplicationShutdown(): void {
    this.stop.abort();
  }
}
