import { Injectable } from '@nestjs/common';
import { type Caller, namedUser, type NamedUser, traceOf } from '../../access/index.js';
import { AppError, type Reach, type Requester, userReach } from '../../common/index.js';
import {
  type InterruptPage,
  Interrupts,
  type InterruptStatus,
  type InterruptView,
  type ListedInterrupt,
  refusalOf,
} from '../../agent/interrupt/index.js';
import { type InterruptAnswer, Runs } from '../../run/index.js';
import { Sessions } from '../../agent/session/index.js';
import { findWithin, Wires } from '../wire/index.js';
import type { InterruptsQueryDto } from './dto/queries.dto.js';

const DEFAULT_LIMIT = 20;

/** The user of the interrupts that a request lists: the one that it names, otherwise the caller. */
export function listReach(caller: Caller, { user_id: userId }: InterruptsQueryDto): Reach {
  const isWide = userId !== undefined || caller.scopes.has('data:tenant');
  return isWide ? caller.reviewReach(namedUser('user_id', userId)) : caller.listReach;
}

/** Who answers an interrupt: the caller as the user that it acts for; a reviewer of the whole tenant as itself. */
function answeringAs(caller: Caller, user: NamedUser | undefined): Requester | null {
  return caller.requesterFor(caller.scopes.has('data:tenant') ? undefined : user);
}

/** Reads and answers interrupts for `/approvals` and `/interrupts`. */
@Injectable()
export class InterruptService {
  constructor(
    private readonly interrupts: Interrupts,
    readonly runs: Runs,
    readonly sessions: Sessions,
    readonly wires: Wires,
  ) {}

  /** Why the caller may not answer an interrupt that waits; null if it may. @param user the user that the request names */
  refusal(caller: Caller, user: NamedUser | undefined, view: InterruptView): string | null {
    return refusalOf(view, answeringAs(caller, user));
  }

  /** @throws AppError INVALID_PARAMETER for an unknown cursor */
  list(reach: Reach, query: InterruptsQueryDto, kind?: InterruptView['kind']): Promise<InterruptPage> {
    const { status, session_id: sessionId, limit, cursor } = query;
    const statuses = status?.split(',') as InterruptStatus[] | undefined;
    return this.interrupts.list(reach, {
      limit: Number(limit ?? DEFAULT_LIMIT),
      ...(kind && { kind }),
      ...(statuses && { statuses: [...new Set(statuses)] }),
      ...(sessionId !== undefined && { sessionId }),
      ...(cursor !== undefined && { cursor }),
    });
  }

  /** @param user the user that the request names. @throws AppError INTERRUPT_NOT_FOUND */
  async find(
    caller: Caller,
    user: NamedUser | undefined,
    id: string,
    kind?: InterruptView['kind'],
  ): Promise<ListedInterrupt> {
    const find = (reach: Reach): Promise<ListedInterrupt | undefined> => this.interrupts.find(reach, id);
    const view = await findWithin(this, caller, caller.reviewReach(user), find);
    if (!view || (kind && view.kind !== kind)) throw new AppError('INTERRUPT_NOT_FOUND');
    return view;
  }

  /**
   * Answers an interrupt, which continues its session with a new run. Returns the interrupt as it is then.
   *
   * @param user the user that the request names
   * @throws AppError as `Runs.answer`
   */
  async answer(
    caller: Caller,
    user: NamedUser | undefined,
    id: string,
    answer: Omit<InterruptAnswer, 'interruptId'>,
    kind?: InterruptView['kind'],
  ): Promise<ListedInterrupt> {
    const { userId } = await this.find(caller, user, id, kind);
    const reach = userReach({ tenantId: caller.tenantId, userId });
    await this.runs.answer(reach, answeringAs(caller, user), [{ interruptId: id, ...answer }], traceOf(caller));
    return this.find(caller, user, id);
  }
}
