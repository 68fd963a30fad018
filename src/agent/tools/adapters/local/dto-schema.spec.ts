import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsDate,
  IsEmail,
  IsIn,
  IsInt,
  IsNotEmpty,
  IsNumber,
  IsOptional,
  IsString,
  Length,
  Matches,
  Max,
  Min,
  ValidateNested,
} from 'class-validator';
import { SchemaValidator } from '../../schema-validator.js';
import { dtoSchema } from './dto-schema.js';

class Guest {
  @IsEmail()
  email!: string;
}

class Invitation {
  @ApiProperty({ description: 'What it is about' })
  @IsString()
  @Length(1, 80)
  title!: string;

  @IsInt()
  @Min(1)
  @Max(10)
  seats!: number;

  @IsOptional()
  @IsNumber()
  price?: number;

  @IsBoolean()
  isPublic!: boolean;

  @IsIn(['low', 'high'])
  priority!: string;

  @IsOptional()
  @IsArray()
  @ArrayMaxSize(3)
  @IsString({ each: true })
  tags?: string[];

  @ValidateNested()
  host!: Guest;

  @ApiProperty({ type: () => [Guest] })
  @ValidateNested({ each: true })
  guests!: Guest[];

  @Matches(/^[a-z]+$/)
  code!: string;

  @IsNotEmpty()
  note!: string;
}

class Sender {
  @IsEmail({}, { message: 'sender needs an e-mail address' })
  email!: string;
}

class Parcel {
  @Matches(/^[A-Z]-\d{4}$/, { message: 'id must look like A-1001' })
  id!: string;

  @IsOptional()
  @Max(30, { message: '$property of $target is at most $constraint1, not $value.' })
  weight?: number;

  @IsOptional()
  @IsIn(['DE', 'FR'], { each: true, message: ({ value }) => `nothing is sent to ${(value as string).toUpperCase()}` })
  countries?: string[];

  @IsOptional()
  @ValidateNested()
  sender?: Sender;
}

class Untyped {
  @ValidateNested({ each: true })
  items!: Guest[];
}

class Endless {
  @ApiProperty({ type: () => Endless })
  @ValidateNested()
  next!: object;
}

const guest = {
  type: 'object',
  properties: { email: { type: 'string', format: 'email' } },
  required: ['email'],
  additionalProperties: false,
};

class Pocket {
  @IsString()
  name = 'main';
}

class Package {
  @IsOptional()
  @IsIn(['g', 'kg'])
  unit = 'g';

  @IsInt()
  count: number = 1;

  @IsDate()
  sendAt!: Date;

  @IsOptional()
  @Type(() => Date)
  @IsDate({ each: true })
  stops?: Date[];

  @IsString()
  id: string = randomUUID();

  @ValidateNested({ each: true })
  @Type(() => Pocket)
  pockets: Pocket[] = [];
}

describe('dtoSchema', () => {
  it('initial values are defaults, and dates are times', () => {
    expect(dtoSchema(Package)).toEqual({
      type: 'object',
      properties: {
        unit: { enum: ['g', 'kg'], default: 'g' },
        count: { type: 'integer', default: 1 },
        sendAt: { type: 'string', format: 'date-time' },
        stops: { type: 'array', items: { type: 'string', format: 'date-time' } },
        id: { type: 'string' },
        pockets: {
          type: 'array',
          items: {
            type: 'object',
            properties: { name: { type: 'string', default: 'main' } },
            additionalProperties: false,
          },
          default: [],
        },
      },
      required: ['sendAt'],
      additionalProperties: false,
    });
  });

  it('the schema follows the decorators', () => {
    expect(dtoSchema(Invitation)).toEqual({
      type: 'object',
      properties: {
        title: { type: 'string', minLength: 1, maxLength: 80, description: 'What it is about' },
        seats: { type: 'integer', minimum: 1, maximum: 10 },
        price: { type: 'number' },
        isPublic: { type: 'boolean' },
        priority: { enum: ['low', 'high'] },
        tags: { type: 'array', items: { type: 'string' }, maxItems: 3 },
        host: guest,
        guests: { type: 'array', items: guest },
        code: { type: 'string', pattern: '^[a-z]+$' },
        note: { type: 'string' },
      },
      required: expect.arrayContaining([
        'title',
        'seats',
        'isPublic',
        'priority',
        'host',
        'guests',
        'code',
        'note',
      ]) as string[],
      additionalProperties: false,
    });
    expect(dtoSchema(Invitation)['required']).toHaveLength(8);
  });

  const validator = new SchemaValidator();
  const parcel = dtoSchema(Parcel);
  it.each<[object, string]>([
    [{ id: 'Where is A-1001?' }, 'id must look like A-1001.'],
    [{ id: 1001 }, 'id must look like A-1001.'],
    [{ id: 'A-1001', weight: 31 }, 'weight of Parcel is at most 30, not 31.'],
    [{ id: 'A-1001', countries: ['DE', 'br'] }, 'nothing is sent to BR.'],
    [{ id: 'A-1001', countries: [7] }, '"countries.0" must be one of ["DE","FR"].'],
    [{ id: 'A-1001', sender: { email: 'nobody' } }, 'sender needs an e-mail address.'],
    [{ id: 'x', weight: 40 }, 'id must look like A-1001; weight of Parcel is at most 30, not 40.'],
    [{}, "the arguments object must have required property 'id'."],
  ])('the messages of the decorators describe the violations of %j', async (value, sentence) => {
    // The time for patterns is limited in each turn of the event loop.
    await setImmediate();
    expect(validator.violation(parcel, value)).toBe(sentence);
    expect(JSON.stringify(parcel)).not.toContain('must look');
  });

  it('types that a schema cannot describe throw', () => {
    expect(() => dtoSchema(Untyped)).toThrow('The class of items is not known');
    expect(() => dtoSchema(Endless)).toThrow('contains itself');
  });
});
