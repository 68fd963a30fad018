import type { Type } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';

/** The members of a documented object, by name. A name that ends in `?` may be absent. */
export type DtoMembers = Readonly<Record<string, ApiPropertyOptions>>;

/**
 * Makes a class for the API description only: this wire has many small objects, told apart by their `type`, and the
 * encoder guarantees their fields.
 */
export function madeDto(name: string, members: DtoMembers): Type<object> {
  const dto = class {};
  Object.defineProperty(dto, 'name', { value: name });
  for (const [key, options] of Object.entries(members)) {
    const isOptional = key.endsWith('?');
    const property = isOptional ? key.slice(0, -1) : key;
    // Compiled classes have this; without it Swagger takes a property of several types for a circular reference.
    Reflect.defineMetadata('design:type', Object, dto.prototype, property);
    ApiProperty({ ...options, required: !isOptional } as ApiPropertyOptions)(dto.prototype, property);
  }
  return dto;
}

/** A property that is always a string. */
export const string: ApiPropertyOptions = { type: String };
/** A property that is a string or null; the key is always present. */
export const nullableString: ApiPropertyOptions = { type: String, nullable: true };
/** A non-negative whole number, such as an index, a count or a time in seconds. */
export const integer: ApiPropertyOptions = { type: 'integer', minimum: 0 };
/** A whole number or null; the key is always present. */
export const nullableInteger: ApiPropertyOptions = { type: 'integer', nullable: true };
/** An object whose members the document does not describe. */
export const object: ApiPropertyOptions = { type: 'object', additionalProperties: true };

/** A list of any objects. */
export const objects: ApiPropertyOptions = { type: 'array', items: { type: 'object', additionalProperties: true } };

/** One of several strings. */
export function word(...words: readonly string[]): ApiPropertyOptions {
  return { enum: [...words], type: String };
}

/** `response.output_text.delta` becomes `ResponseOutputTextDeltaEvent`. */
export function dtoName(word: string, suffix: string): string {
  const parts = word.split(/[._]/).map((part) => part.charAt(0).toUpperCase() + part.slice(1));
  return parts.join('') + suffix;
}
