import { ApiProperty } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
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

describe('dtoSchema', () => {
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

  it('types that a schema cannot describe throw', () => {
    expect(() => dtoSchema(Untyped)).toThrow('The class of items is not known');
    expect(() => dtoSchema(Endless)).toThrow('contains itself');
  });
});
