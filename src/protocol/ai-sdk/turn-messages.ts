import { Injectable } from '@nestjs/common';
import { isPlainObject } from '../../common/index.js';
import { Interrupts, type InterruptView } from '../../interrupt/index.js';
import type { RunView } from '../../run/index.js';
import { questionsOf } from '../ag-ui-events/index.js';
import { AiSdkWire } from './ai-sdk.wire.js';
import type { Level, UiMessage } from './chunk.types.js';
import { MessageReducer } from './message-reducer.js';
import { TurnFold } from './turn-fold.js';
import { Turns } from './turns.js';

/** The answers of turns that are over, or that wait, as messages. */
@Injectable()
export class TurnMessages {
  constructor(
    private readonly turns: Turns,
    private readonly interrupts: Interrupts,
    private readonly wire: AiSdkWire,
  ) {}

  /** The message; undefined if nothing was said. @param options.isNewest true for the last turn of its chat */
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
    for (const run of turn) {
      const { events, outputs, discarded } = await this.turns.logged(run);
      reducer.take(fold.begin(run, discarded));
      reducer.take(outputs.flatMap((message) => fold.clientOutput(message)));
      const chunks = events.flatMap((event) => fold.next(event));
      reducer.take(run === last ? chunks : chunks.filter(({ type }) => type !== 'finish'));
    }
    if (turn.some(({ state }) => state === 'interrupted')) {
      const questions = (await Promise.all(turn.map((run) => questionsOf(this.interrupts, run)))).flat();
      reducer.take(fold.settled(questions, { isWaiting: isNewest && last.state === 'interrupted' }));
      for (const question of questions) decide(reducer, question);
    }
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
