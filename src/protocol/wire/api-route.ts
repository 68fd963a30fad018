import { applyDecorators, type Type } from '@nestjs/common';
import { ApiOperation, ApiProperty, ApiPropertyOptional, ApiResponse } from '@nestjs/swagger';
import { ERROR_CATALOGUE } from '../../common/index.js';

/** The errors that the routes of a wire document: the same text for a status on all of them. */
export interface DocumentedErrors {
  /** The DTO of the Error model. */
  readonly model: Type<object>;
  /** What a status means, by status. */
  readonly text: Readonly<Record<number, string>>;
}

/** Documents the errors that a route may answer with before a stream. @throws TypeError for one that is not in the table */
export function apiErrors({ model, text }: DocumentedErrors, statuses: readonly number[]): MethodDecorator[] {
  return statuses.map((status) => {
    const description = text[status];
    if (description === undefined) throw new TypeError(`The errors of this wire have no text for ${status}`);
    return ApiResponse({ status, description, type: model });
  });
}

/** Documents what a route does and the errors that it may answer with. */
export function apiRoute(
  table: DocumentedErrors,
  summary: string,
  description: string,
  statuses: readonly number[],
): MethodDecorator {
  return applyDecorators(ApiOperation({ summary, description }), ...apiErrors(table, statuses));
}

/** What is wrong with one field. */
export class ErrorDetailDto {
  @ApiProperty({ example: 'input[0].content' })
  path!: string;

  @ApiProperty({ example: 'input[0].content must be a list, not a string' })
  message!: string;
}

/** The common Error model: of the Agent API, and of the routes that belong to no wire. */
export class ErrorBodyDto {
  @ApiProperty({ enum: Object.keys(ERROR_CATALOGUE), example: 'PARAMETER_VALIDATION' })
  code!: string;

  @ApiProperty({ example: 'input[0].content must be a list, not a string' })
  message!: string;

  @ApiPropertyOptional({ type: [ErrorDetailDto] })
  details?: readonly ErrorDetailDto[];

  @ApiPropertyOptional({ description: "The id of the request in the server's log; with 5xx only." })
  requestId?: string;
}
