import { Injectable, type OnModuleDestroy } from '@nestjs/common';

/** Whether the server has begun to stop, so that a load balancer can be told to look elsewhere. */
@Injectable()
export class ShutdownState implements OnModuleDestroy {
  private stopping = false;

  get isShuttingDown(): boolean {
    return this.stopping;
  }

  /** From now on the server is not ready. Called before anything is drained. */
  begin(): void {
    this.stopping = true;
  }

  onModuleDestroy(): void {
    this.begin();
  }
}
