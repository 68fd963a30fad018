import { ApiProperty } from '@nestjs/swagger';
import { Transform, Type } from 'class-transformer';
import { IsArray, IsDate, IsIn, IsInt, IsNumber, IsOptional, IsString, ValidateNested } from 'class-validator';
import type { JsonObject } from '../../../../common/index.js';
import { argumentInstance, withInitialValues } from './argument-class.js';

class Ingredient {
  @IsString()
  name!: string;

  @IsIn(['g', 'ml'])
  unit = 'g';

  label(): string {
    return `${this.name} in ${this.unit}`;
  }
}

class Recipe {
  @IsOptional()
  @IsNumber()
  portions = 4;

  @ValidateNested()
  main!: Ingredient;

  @ApiProperty({ type: () => [Ingredient] })
  @ValidateNested({ each: true })
  documented: Ingredient[] = [];

  @Type(() => Ingredient)
  @ValidateNested({ each: true })
  typed: Ingredient[] = [];

  @IsOptional()
  @IsDate()
  cookedAt?: Date;

  @IsOptional()
  @Type(() => Date)
  @IsDate({ each: true })
  eatenAt?: Date[];

  @IsOptional()
  @Transform(({ value }: { value: unknown }) => String(value).trim())
  @IsString()
  note?: string;

  @IsOptional()
  @IsInt()
  id?: number;

  @IsOptional()
  @IsArray()
  tags?: string[];
}

const made = (args: JsonObject): Recipe => argumentInstance(Recipe, args) as Recipe;

describe('an argument class', () => {
  it('initial values hold where an argument is missing', () => {
    const recipe = made({ main: { name: 'rice' } });
    expect(recipe).toBeInstanceOf(Recipe);
    expect([recipe.portions, recipe.typed, recipe.note]).toEqual([4, [], undefined]);
    expect(made({ main: { name: 'rice' }, portions: 2 }).portions).toBe(2);
  });

  it('nested objects are instances, with their own initial values', () => {
    const lists = { documented: [{ name: 'salt' }], typed: [{ name: 'milk', unit: 'ml' }] };
    const { main, documented, typed } = made({ main: { name: 'rice' }, ...lists });
    expect([main, ...documented, ...typed].map((one) => one.label())).toEqual(['rice in g', 'salt in g', 'milk in ml']);
  });

  it('times are dates', () => {
    const time = '2026-03-01T12:00:00+01:00';
    const { cookedAt, eatenAt } = made({ main: { name: 'rice' }, cookedAt: time, eatenAt: [time, time] });
    expect([cookedAt, eatenAt]).toEqual([new Date(time), [new Date(time), new Date(time)]]);
  });

  it('its transformations are made, and integers beyond 2^53 are exact', () => {
    const id = 9_007_199_254_740_993n;
    const recipe = made({ main: { name: 'rice' }, note: ' hot ', id, tags: ['a'] } as unknown as JsonObject);
    expect([recipe.note, recipe.id, recipe.tags]).toEqual(['hot', id, ['a']]);
  });

  it('the policy gets the initial values as JSON', () => {
    expect(withInitialValues(Recipe, { main: { name: 'rice' }, typed: [{ name: 'milk' }] })).toEqual({
      main: { name: 'rice', unit: 'g' },
      typed: [{ name: 'milk', unit: 'g' }],
      portions: 4,
      documented: [],
    });
  });
});
