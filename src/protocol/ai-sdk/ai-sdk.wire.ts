import { Injectable } from '@nestjs/common';
import { MessageAttachments } from '../../attachment/index.js';
import { matchesGlob } from '../../common/index.js';
import { type Content, messageOf } from '../../events/index.js';
import type { RunView } from '../../run/index.js';
import { type OnDisconnect, Wire } from '../wire/index.js';
import { type AiSdkData, aiSdkDataOf, answerIdOf, dataOfSettings, WIRE } from './ai-sdk-data.js';
import { AiSdkEncoder, type AiSdkEncoderOptions, type TurnBefore } from './ai-sdk.encoder.js';
import { AiSdkSettings } from './ai-sdk.settings.js';
import type { Level } from './chunk.types.js';
import type { FoldOptions } from './turn-fold.js';
import { Turns } from './turns.js';

const NOTHING: Omit<TurnBefore, 'messageId'> = { earlier: [], outputs: [], discarded: new Set() };

/** The UI message stream of the AI SDK. */
@Injectable()
export class AiSdkWire extends Wire {
  readonly name = WIRE;
  override readonly paths = ['/ai-sdk'];
  override readonly onDisconnect: OnDisconnect;

  constructor(
    private readonly settings: AiSdkSettings,
    private readonly turns: Turns,
    private readonly attachments: MessageAttachments,
  ) {
    super();
    this.onDisconnect = settings.onDisconnect;
  }

  override encoder(run: RunView): AiSdkEncoder {
    const before = run.isResumed
      ? async () => this.before(run, await this.turns.upTo(run))
      : { messageId: answerIdOf([run]), ...NOTHING };
    return this.made(run, { before });
  }

  /**
   * The encoder of the last run of a turn that writes the turn, from one of its runs on.
   *
   * @param turn its runs, oldest first
   * @param level absent: that of the request that the run was accepted with
   */
  turnEncoder(turn: readonly RunView[], from: RunView, level?: Level): AiSdkEncoder {
    const run = turn.at(-1) ?? from;
    const before = async (): Promise<TurnBefore> => {
      const [discarded, isQuiet] = await Promise.all([this.turns.discarded(run), this.turns.isQuiet(run)]);
      return { ...(await this.before(run, turn)), discarded, isQuiet };
    };
    const logged = run.finishedAt === null ? run.lastSeq : undefined;
    return this.made(run, { before, from: from.ordinal, logged }, level);
  }

  /** The frames of a run whose events were removed, by the encoder of its turn. */
  async retained(run: RunView, encoder: AiSdkEncoder): Promise<readonly string[]> {
    await encoder.prepare();
    const { events } = await this.turns.logged(run);
    return [...events.flatMap((event) => encoder.next(event)), ...encoder.end()];
  }

  /** How a run is written. @param level absent: that of the request that it was accepted with */
  foldOptions(run: RunView, level?: Level): FoldOptions {
    const data: AiSdkData = aiSdkDataOf(run) ?? dataOfSettings(this.settings);
    return {
      level: level ?? data.level,
      hasMetadata: data.hasMetadata,
      errorText: data.errorText,
      isStatic: (name) => data.staticTools.some((pattern) => matchesGlob(pattern, name, { question: false })),
      shown: (content) => this.shown(content, run),
    };
  }

  private made(
    run: RunView,
    options: Pick<AiSdkEncoderOptions, 'before' | 'from' | 'logged'>,
    level?: Level,
  ): AiSdkEncoder {
    return new AiSdkEncoder({ run, ...this.foldOptions(run, level), ...options });
  }

  private async before(run: RunView, turn: readonly RunView[]): Promise<TurnBefore> {
    const earlier = turn.filter(({ ordinal }) => ordinal < run.ordinal);
    const [logged, outputs] = await Promise.all([
      Promise.all(earlier.map((one) => this.turns.logged(one))),
      this.turns.outputs(run),
    ]);
    return { ...NOTHING, messageId: answerIdOf(turn), earlier: logged, outputs };
  }

  /** With an address of its own for whoever reads it. */
  private shown(content: Content, { tenantId }: RunView): Content {
    const message = { ...messageOf({ id: '', role: 'assistant' }, []), content: [content] };
    return this.attachments.shownMessage(message, tenantId).content?.[0] ?? content;
  }
}
