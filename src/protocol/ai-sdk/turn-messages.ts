import { Injectable } from '@nestjs/common';
import { isPlainObject } from '../../common/index.js';
import type { InterruptView } from '../../agent/interrupt/index.js';
import type { RunView } from '../../run/index.js';
import { AiSdkWire } from './ai-sdk.wire.js';
import type { Level, UiMessage } from './chunk.types.js';
import { MessageReducer } from './message-reducer.js';
import { TurnFold } from './turn-fold.js';
import { decisionsOf, Turns } from './turns.js';

/** The answers of turns that are over, or that wait, as messages. */
@Injectable()
export class TurnMessages {
  constructor(
    private readonly turns: Turns,
    private readonly wire: AiSdkWire,
  ) {}

  /** The message; undefined for no turn. @param options.isNewest true for the last turn of its chat */
  async answer(
    turn: readonly RunView[],
    { level, isNewest }: { readonly level: Level | undefined; readonly isNewest: boolean },
  ): Promise<UiMessage | undefined> {
    const [first, last] = [turn[0], turn.at(-1)];
    if (!first || !last) return undefined;
    const id = this.turns.answerId(turn);
    const options = this.wire.foldOptions(last, level);
    const reducer = new MessageReducer(id, options.level);
    const fold = new TurnFold(options);
    const metadata = fold.startMetadata(first);
    if (metadata) reducer.take([{ type: 'start', messageId: id, messageMetadata: metadata }]);
    const questions = await this.turns.questions(turn);
    const decisions = decisionsOf(questions);
    for (const run of turn) {
      const { events, outputs, discarded, decided } = await this.turns.logged(run, decisions);
      reducer.take(fold.begin(run, { discarded, decided }));
      for (const message of outputs) reducer.take(fold.clientOutput(message));
      // The end of an earlier run only adds its usage, as clients have it.
      for (const event of events) reducer.take(fold.next(event));
    }
    if (turn.some(({ state }) => state === 'interrupted')) {
      reducer.take(fold.settled(questions, { isWaiting: isNewest && last.state === 'interrupted' }));
    }
    for (const question of questions) decide(reducer, question);
    return reducer.message();
  }
}

/** How an approval was decided; one that nobody decided in time counts as denied. */
function decide(reducer: MessageReducer, { id: approvalId, status, decision }: InterruptView): void {
  if (status === 'pending' || status === 'answered') return;
  const given = isPlainObject(decision) ? decision['reason'] : undefined;
  const reason = typeof given === 'string' ? given : undefined;
  reducer.decide({ approvalId, approved: status === 'approved', reason });
}
