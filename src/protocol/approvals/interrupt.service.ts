import { Injectable } from '@nestjs/common';
import { AppError } from '../../common/index.js';
import { type InterruptPage, Interrupts, type InterruptScope, type InterruptView } from '../../interrupt/index.js';
import { type InterruptAnswer, Runs } from '../../run/index.js';
import type { InterruptsQueryDto } from './dto/queries.dto.js';

const DEFAULT_LIMIT = 20;

/** Reads and answers interrupts for `/approvals` and `/interrupts`. */
@Injectable()
export class InterruptService {
  constructor(
    private readonly interrupts: Interrupts,
    private readonly runs: Runs,
  ) {}

  /** @throws AppError INVALID_PARAMETER for an unknown cursor */
  list(scope: InterruptScope, query: InterruptsQueryDto, kind?: InterruptView['kind']): Promise<InterruptPage> {
    const { status, session_id: sessionId, limit, cursor } = query;
    return this.interrupts.list(scope, {
      limit: limit === undefined ? DEFAULT_LIMIT : Number(limit),
      ...(kind && { kind }),
      ...(status && { status }),
      ...(sessionId !== undefined && { sessionId }),
      ...(cursor !== undefined && { cursor }),
    });
  }

  /** @throws AppError INTERRUPT_NOT_FOUND */
  async find(scope: InterruptScope, id: string, kind?: InterruptView['kind']): Promise<InterruptView> {
    const view = await this.interrupts.find(scope, id);
    if (!view || (kind && view.kind !== kind)) throw new AppError('INTERRUPT_NOT_FOUND');
    return view;
  }

  /**
   * Answers an interrupt, which continues its session with a new run. Returns the interrupt as it is then.
   *
   * @throws AppError as `Runs.answer`
   */
  async answer(
    scope: InterruptScope,
    id: string,
    answer: Omit<InterruptAnswer, 'interruptId'>,
    kind?: InterruptView['kind'],
  ): Promise<InterruptView> {
    const { userId } = await this.find(scope, id, kind);
    await this.runs.answer({ tenantId: scope.tenantId, userId }, [{ interruptId: id, ...answer }]);
    return this.find(scope, id);
  }
}
