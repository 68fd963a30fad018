import { Injectable } from '@nestjs/common';
import { MessageAttachments } from '../../agent/attachment/index.js';
import { matchesGlob } from '../../common/index.js';
import { type Content, messageOf } from '../../events/index.js';
import type { RunView } from '../../run/index.js';
import { commonErrorBody, type HttpError } from '../http/index.js';
import { type FailedRequest, type OnDisconnect, Wire } from '../wire/index.js';
import { type AiSdkData, aiSdkDataOf, answerIdOf, dataOfSettings, WIRE } from './ai-sdk-data.js';
import { AiSdkEncoder, type AiSdkEncoderOptions, type TurnBefore } from './ai-sdk.encoder.js';
import { AiSdkSettings } from './ai-sdk.settings.js';
import type { Level } from './chunk.types.js';
import type { FoldOptions } from './turn-fold.js';
import { decisionsOf, Turns } from './turns.js';

const NOTHING: Omit<TurnBefore, 'messageId'> = { earlier: [], outputs: [], discarded: new Set(), decided: [] };

/** How a reader of a turn wants it. */
export interface TurnOptions {
  /** Absent: that of the request that the last run was accepted with. */
  readonly level?: Level | undefined;
  /** The id that the reader has given the answer. Absent: that of the turn. */
  readonly messageId?: string | undefined;
}

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
   */
  turnEncoder(turn: readonly RunView[], from: RunView, { level, messageId }: TurnOptions = {}): AiSdkEncoder {
    const run = turn.at(-1) ?? from;
    const before = async (): Promise<TurnBefore> => {
      const [discarded, kept] = await Promise.all([this.turns.discarded(run), this.turns.kept(run)]);
      const found = await this.before(run, turn);
      return { ...found, messageId: messageId ?? found.messageId, discarded, kept };
    };
    const logged = run.finishedAt === null ? run.lastSeq : undefined;
    return this.made(run, { before, from: from.ordinal, logged }, level);
  }

  /** What is no JSON names the field that is looked for first (contract ui-message-stream, section A6). */
  override errorBody(error: HttpError, { requestId, path }: FailedRequest): object {
    const { code, details, message } = error;
    if (code !== 'INVALID_JSON' || details) return commonErrorBody(error, requestId);
    return commonErrorBody(
      { ...error, details: [{ path: path.endsWith('/stop') ? 'body' : 'id', message }] },
      requestId,
    );
  }

  /** The frames of a run whose events were removed, by the encoder of its turn. */
  async retained(run: RunView, encoder: AiSdkEncoder): Promise<readonly string[]> {
    await encoder.prepare();
    const events = await this.turns.events(run);
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
      titleOf: (name) => ownTitle(data.titles, name),
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
    const decisions = decisionsOf(await this.turns.questions(earlier));
    const [logged, outputs] = await Promise.all([
      Promise.all(earlier.map((one) => this.turns.logged(one, decisions))),
      this.turns.outputs(run),
    ]);
    const decided = decisions.get(run.runId) ?? [];
    return { ...NOTHING, messageId: answerIdOf(turn), earlier: logged, outputs, decided };
  }

  /** With an address of its own for whoever reads it. */
  private shown(content: Content, { tenantId }: RunView): Content {
    const message = { ...messageOf({ id: '', role: 'assistant' }, []), content: [content] };
    return this.attachments.shownMessage(message, tenantId).content?.[0] ?? content;
  }
}

function ownTitle(titles: AiSdkData['titles'], name: string): string | undefined {
  return titles && Object.hasOwn(titles, name) ? titles[name] : undefined;
}
