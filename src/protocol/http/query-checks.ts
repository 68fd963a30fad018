import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString, Length, Matches } from 'class-validator';
import { PLAIN_TEXT } from '../../common/index.js';

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
