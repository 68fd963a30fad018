import { ApiProperty } from '@nestjs/swagger';
import { Transform, Type } from 'class-transformer';
import { IsInt, IsOptional, IsString, ValidateNested } from 'class-validator';
import { AppError } from '../../../common/index.js';
import { AnyJson, Closed, DtoPipe, queryDto, toDto } from './dto.pipe.js';

class PlaceDto {
  @IsString({ message: 'name must be a string' })
  name!: string;
}

class TripDto {
  @ApiProperty()
  @IsString({ message: 'from must be a string' })
  from!: string;

  @IsOptional()
  @Transform(({ value }: { value: unknown }) => Number(value))
  @IsInt({ message: 'days must be a whole number' })
  days?: number;

  @IsOptional()
  @ValidateNested()
  @Type(() => PlaceDto)
  to?: PlaceDto;

  @AnyJson()
  note?: unknown;
}

@Closed()
class ChangeDto {
  @IsOptional()
  @IsString({ message: 'name must be a string' })
  name?: string | null;
}

function refusal(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    if (error instanceof AppError) return { code: error.code, details: error.details };
    throw error;
  }
}

describe('DtoPipe', () => {
  it('makes an instance of the class, converts fields and leaves out what it does not declare', () => {
    const dto = toDto(TripDto, { from: 'Rome', days: '3', to: { name: 'Oslo' }, more: 1 });
    expect(dto).toBeInstanceOf(TripDto);
    expect(dto.to).toBeInstanceOf(PlaceDto);
    expect({ ...dto, to: { ...dto.to } }).toEqual({ from: 'Rome', days: 3, to: { name: 'Oslo' } });
  });

  it('takes null as absent, except where a property may be any JSON', () => {
    expect({ ...toDto(TripDto, { from: 'Rome', days: null, note: null }) }).toEqual({ from: 'Rome', note: null });
  });

  it('hands on JSON that is not described as it is, whatever its keys', () => {
    const note = JSON.parse('{"__proto__":{"a":1},"constructor":2,"deep":[[]]}') as object;
    expect(toDto(TripDto, { from: 'Rome', note }).note).toBe(note);
  });

  it('names each wrong field once', () => {
    expect(refusal(() => toDto(TripDto, { from: 5, days: 'x' }))).toEqual({
      code: 'PARAMETER_VALIDATION',
      details: [
        { path: 'from', message: 'from must be a string' },
        { path: 'days', message: 'days must be a whole number' },
      ],
    });
  });

  it.each([[[]], ['text'], [null], [undefined]])('refuses %j in place of an object', (value) => {
    expect(refusal(() => toDto(TripDto, value))).toMatchObject({ code: 'PARAMETER_VALIDATION' });
  });

  it('a closed class refuses other fields, keeps null, and may be absent', () => {
    const message = '"nmae" is not a field: use name';
    const details = [{ path: 'nmae', message }];
    expect(refusal(() => toDto(ChangeDto, { nmae: 'x' }))).toEqual({ code: 'PARAMETER_VALIDATION', details });
    expect({ ...toDto(ChangeDto, { name: null }) }).toEqual({ name: null });
    expect(toDto(ChangeDto, undefined)).toBeInstanceOf(ChangeDto);
  });

  it('a query that was checked is not checked again', () => {
    const query = queryDto(ChangeDto, Object.assign(Object.create({}) as object, { name: 'x' }));
    expect(queryDto(ChangeDto, query)).toBe(query);
    expect(new DtoPipe().transform(query, { type: 'query', metatype: ChangeDto })).toBe(query);
  });

  it('a parameter without a class is a mistake of the route', () => {
    expect(() => new DtoPipe().transform({}, { type: 'body', metatype: Object })).toThrow(TypeError);
  });
});
