import { Injectable } from '@nestjs/common';
import { Clock, type Principal } from '../../common/index.js';
import type { RunView } from '../../run/index.js';
import { AiSdkSettings } from './ai-sdk.settings.js';
import { Turns } from './turns.js';

/** Which turns streams bring (contract ui-message-stream, section B2). */
@Injectable()
export class ActiveTurns {
  constructor(
    private readonly turns: Turns,
    private readonly settings: AiSdkSettings,
    private readonly clock: Clock,
  ) {}

  /** The turn that the chat's stream brings, oldest run first; undefined if nothing is active. */
  async of(principal: Principal, chatId: string): Promise<readonly RunView[] | undefined> {
    const turn = await this.turns.last(principal, chatId);
    const last = turn.at(-1);
    return last && this.isActive(last) ? turn : undefined;
  }

  /** A finished turn stays active for a while, so that a page which loads just then lacks nothing. */
  isActive({ finishedAt, state }: RunView): boolean {
    if (finishedAt === null) return true;
    return state !== 'interrupted' && this.clock.now() - finishedAt < this.settings.replayWindowMs;
  }
}
