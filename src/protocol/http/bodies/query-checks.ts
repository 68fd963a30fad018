import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, Length, Matches } from 'class-validator';
import { PLAIN_TEXT } from '../../../common/index.js';

const STARTING_AFTER = /^(-1|\d{1,15})$/;
const UP_TO_100 = /^([1-9]\d?|100)$/;
const UP_TO_1000 = /^([1-9]\d{0,2}|1000)$/;

/** A query parameter that may be absent: text such as an id, of at least one character, none of them a control character. */
export function OptionalText(options: {
  readonly maxLength: number;
  readonly description: string;
  readonly example?: string;
}): PropertyDecorator {
  return named((name) => [
    ApiPropertyOptional({ minLength: 1, ...options }),
    IsOptional(),
    IsString({ message: `${name} must be a string` }),
    Length(1, options.maxLength, { message: `${name} must have 1 to ${options.maxLength} characters` }),
    Matches(PLAIN_TEXT, { message: `${name} must not contain control characters` }),
  ]);
}

/** The query parameter `user_id`: the user that the request acts for. */
export function UserIdQuery(): PropertyDecorator {
  const description = 'The user, as in requests that start runs. Default: the user of requests that name none.';
  return OptionalText({ maxLength: 256, example: 'alice', description });
}

/** The query parameter that says whether the response is an event stream. */
export function StreamQuery(): PropertyDecorator {
  return named((name) => [
    ApiPropertyOptional({
      enum: ['true', 'false'],
      default: 'false',
      description: 'Whether to stream the events instead of returning the current response.',
    }),
    IsOptional(),
    IsIn(['true', 'false'], { message: `${name} must be true or false` }),
  ]);
}

/** The query parameter with the cursor of a client, the number of the last event that it has. */
export function StartingAfterQuery(): PropertyDecorator {
  return named((name) => [
    ApiPropertyOptional({
      type: 'integer',
      minimum: -1,
      default: -1,
      pattern: STARTING_AFTER.source,
      description: 'With stream=true: the sequence_number of the last event that the client has.',
    }),
    IsOptional(),
    Matches(STARTING_AFTER, { message: `${name} must be an integer of at least -1` }),
  ]);
}

/** The query parameter that says whether the run continues without its client. */
export function OnDisconnectQuery(preset: 'continue' | 'cancel'): PropertyDecorator {
  const byDefault = preset === 'cancel' ? ' By default it is canceled.' : '';
  return named((name) => [
    ApiPropertyOptional({
      enum: ['continue', 'cancel'],
      default: preset,
      description: `Whether the run continues when the client disconnects before the end.${byDefault}`,
    }),
    IsOptional(),
    IsIn(['continue', 'cancel'], { message: `${name} must be continue or cancel` }),
  ]);
}

/** The query parameter that says how many entries a page has at most. */
export function PageLimit(maximum: 100 | 1000, preset: number): PropertyDecorator {
  return named((name) => [
    ApiPropertyOptional({ type: Number, minimum: 1, maximum, default: preset }),
    IsOptional(),
    Matches(maximum === 100 ? UP_TO_100 : UP_TO_1000, {
      message: `${name} must be a whole number from 1 to ${maximum}`,
    }),
  ]);
}

/** The query parameter that says where a page begins. */
export function PageCursor(): PropertyDecorator {
  return named((name) => [
    ApiPropertyOptional({ description: '`nextCursor` of the previous page.' }),
    IsOptional(),
    IsString({ message: `${name} must be a string` }),
  ]);
}

/** Decorators whose messages name the property. */
function named(decoratorsOf: (name: string) => readonly PropertyDecorator[]): PropertyDecorator {
  return (target, property) => applyDecorators(...decoratorsOf(String(property)))(target, property);
}
