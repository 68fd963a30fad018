import { Injectable, type PipeTransform } from '@nestjs/common';
import { AppError, isPlainObject, type Json, type JsonObject } from '../../common/index.js';
import type { InterruptAnswer } from '../../run/index.js';
import { validateShape } from '../http/index.js';
import { InterruptAnswerDto } from './dto/interrupt.dto.js';

/** An answer to the interrupt that the path names. */
export type RestAnswer = Omit<InterruptAnswer, 'interruptId'>;

/** The body of `POST /interrupts/{id}`. A payload may be any JSON, also null. */
@Injectable()
export class InterruptAnswerPipe implements PipeTransform<unknown, RestAnswer> {
  /** @throws AppError PARAMETER_VALIDATION, MISSING_PARAMETER without payload, approve and cancel */
  transform(body: unknown): RestAnswer {
    const { cancel, approve, reason, arguments: edited } = validateShape(InterruptAnswerDto, body);
    const why = reason === undefined ? {} : { reason };
    if (cancel === true) return { status: 'cancelled', ...why };
    const hasPayload = isPlainObject(body) && Object.hasOwn(body, 'payload');
    if (!hasPayload && approve === undefined) {
      throw new AppError('MISSING_PARAMETER', 'payload, approve or cancel is required');
    }
    return {
      status: 'resolved',
      ...why,
      ...(hasPayload && { payload: body['payload'] as Json }),
      ...(approve !== undefined && { approve }),
      ...(edited && { editedArguments: edited as JsonObject }),
    };
  }
}
