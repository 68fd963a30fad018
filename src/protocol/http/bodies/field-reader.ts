import { AppError, type ErrorCode, isPlainObject } from '../../../common/index.js';

/** An error about one field: the sentence names the path, and so does the detail. */
export function fieldError(path: string, rule: string, code: ErrorCode = 'PARAMETER_VALIDATION'): AppError {
  const message = `${path} ${rule}`;
  return new AppError(code, message, { details: [{ path, message }] });
}

/** What a value is, for sentences such as "must be a string, not a list". */
export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** Checks that a value is an object and reads its fields by type. */
export function fieldReaderAt(value: unknown, path: string): FieldReader {
  if (!isPlainObject(value)) throw fieldError(path, `must be an object, not ${kindOf(value)}`);
  return new FieldReader(value, path);
}

/** Typed, optional access to the fields of a request object. Null counts as absent everywhere. */
export class FieldReader {
  constructor(
    readonly source: Readonly<Record<string, unknown>>,
    private readonly path: string,
  ) {}

  /** The path of a field, as errors show it. */
  at(name: string): string {
    return this.path === '' ? name : `${this.path}.${name}`;
  }

  /**
   * A string; undefined if absent.
   *
   * @param length limits of an id or a name, which is stored as it is
   * @throws AppError PARAMETER_VALIDATION for another type, INVALID_PARAMETER for a bad length, NUL or lone surrogates
   */
  string(name: string, length?: { readonly min: number; readonly max: number }): string | undefined {
    const value = this.present(name);
    if (value === undefined) return undefined;
    if (typeof value !== 'string') throw fieldError(this.at(name), `must be a string, not ${kindOf(value)}`);
    if (length && (value.length < length.min || value.length > length.max)) {
      throw fieldError(this.at(name), `must have ${length.min} to ${length.max} characters`, 'INVALID_PARAMETER');
    }
    // Names are stored unchanged: databases reject NUL and replace lone surrogates.
    if (length && (value.includes('\0') || /[\ud800-\udfff]/u.test(value))) {
      throw fieldError(this.at(name), 'must be well-formed text without NUL', 'INVALID_PARAMETER');
    }
    return value;
  }

  /** A string that may be empty. @throws AppError as `string`; MISSING_PARAMETER if it is absent */
  required(name: string, length?: { readonly min: number; readonly max: number }): string {
    const value = this.string(name, length);
    if (value === undefined) throw fieldError(this.at(name), 'is required', 'MISSING_PARAMETER');
    return value;
  }

  /** A string that must not be empty. @throws AppError as `string`; MISSING_PARAMETER if it is absent or empty */
  filled(name: string): string {
    const value = this.string(name);
    if (value === undefined || value === '') throw fieldError(this.at(name), 'is required', 'MISSING_PARAMETER');
    return value;
  }

  /** @throws AppError PARAMETER_VALIDATION for anything but true, false, null or an absent field */
  boolean(name: string): boolean | undefined {
    const value = this.present(name);
    if (value === undefined || typeof value === 'boolean') return value;
    throw fieldError(this.at(name), `must be true or false, not ${kindOf(value)}`);
  }

  /** @throws AppError PARAMETER_VALIDATION for anything but a finite number, null or an absent field */
  number(name: string): number | undefined {
    const value = this.present(name);
    if (value === undefined) return undefined;
    if (typeof value !== 'number' || !Number.isFinite(value)) {
      throw fieldError(this.at(name), `must be a number, not ${kindOf(value)}`);
    }
    return value;
  }

  /** @throws AppError PARAMETER_VALIDATION for another type or a fraction, INVALID_PARAMETER outside of the range */
  integer(name: string, range?: { readonly min: number; readonly max: number }): number | undefined {
    const value = this.number(name);
    if (value === undefined) return undefined;
    if (!Number.isSafeInteger(value)) throw fieldError(this.at(name), 'must be an integer');
    if (range && (value < range.min || value > range.max)) {
      const rule =
        range.max === Number.MAX_SAFE_INTEGER
          ? `must be at least ${range.min}`
          : `must be from ${range.min} to ${range.max}`;
      throw fieldError(this.at(name), rule, 'INVALID_PARAMETER');
    }
    return value;
  }

  /** @throws AppError PARAMETER_VALIDATION for anything but an object, null or an absent field */
  object(name: string): Readonly<Record<string, unknown>> | undefined {
    const value = this.present(name);
    return value === undefined ? undefined : fieldReaderAt(value, this.at(name)).source;
  }

  /** The fields of an object. @throws AppError as `object`; MISSING_PARAMETER if it is absent */
  requiredFields(name: string): FieldReader {
    const value = this.present(name);
    if (value === undefined) throw fieldError(this.at(name), 'is required', 'MISSING_PARAMETER');
    return fieldReaderAt(value, this.at(name));
  }

  /** @throws AppError PARAMETER_VALIDATION for anything but a list, INVALID_PARAMETER for one that is too long */
  list(name: string, maxLength: number): readonly unknown[] | undefined {
    const value = this.present(name);
    if (value === undefined) return undefined;
    if (!Array.isArray(value)) throw fieldError(this.at(name), `must be a list, not ${kindOf(value)}`);
    if (value.length > maxLength) {
      throw fieldError(this.at(name), `must have at most ${maxLength} items, not ${value.length}`, 'INVALID_PARAMETER');
    }
    return value as readonly unknown[];
  }

  /** The field's own value: inherited ones such as `constructor` are absent. */
  private present(name: string): unknown {
    const value = Object.hasOwn(this.source, name) ? this.source[name] : undefined;
    return value === null ? undefined : value;
  }
}
