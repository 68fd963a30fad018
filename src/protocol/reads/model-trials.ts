import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { checkModel, type ModelClient, type ModelReport } from '../../agent/index.js';
import { AppError } from '../../common/index.js';

/** Trials of models that people ask for: one at a time for each model, which everybody who asks meanwhile gets. */
@Injectable()
export class ModelTrials implements BeforeApplicationShutdown {
  private readonly stop = new AbortController();
  private readonly running = new Map<ModelClient, Promise<ModelReport>>();

  /** @throws AppError SHUTTING_DOWN if the server stops meanwhile */
  async run(model: ModelClient): Promise<ModelReport> {
    const report = await (this.running.get(model) ?? this.start(model));
    if (this.stop.signal.aborted) throw new AppError('SHUTTING_DOWN');
    return report;
  }

  /** A trial does not delay the end of the process. */
  beforeApplicationShutdown(): void {
    this.stop.abort();
  }

  private start(model: ModelClient): Promise<ModelReport> {
    const report = checkModel(model, this.stop.signal).finally(() => this.running.delete(model));
    this.running.set(model, report);
    return report;
  }
}
