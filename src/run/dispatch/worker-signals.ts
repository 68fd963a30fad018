import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Dispatcher } from '../ports/dispatcher.js';
import { RunRelay } from '../ports/run-relay.js';
import { WorkerLease } from './worker-lease.js';

/** Signals of other processes to the worker of this one, such as that of a cancel: each causes a sweep at once. */
@Injectable()
export class WorkerSignals implements OnModuleInit {
  private unsubscribe: () => void = () => undefined;

  constructor(
    private readonly worker: WorkerLease,
    private readonly relay: RunRelay,
    private readonly dispatcher: Dispatcher,
  ) {}

  /** Follows the id of the worker, which is another one after its lease was lost. */
  onModuleInit(): void {
    this.worker.onJoin((id) => {
      this.unsubscribe();
      this.unsubscribe = this.relay.onSignal(id, () => this.dispatcher.check());
    });
  }
}
