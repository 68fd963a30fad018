import { Injectable } from '@nestjs/common';
import { IsIn, IsInt, IsPositive } from 'class-validator';
import { AgentTool, type ToolContext } from 'parley-server';
import { ARTICLES, Stock } from './stock.js';

class ReserveArgs {
  @IsIn(ARTICLES)
  readonly article!: (typeof ARTICLES)[number];

  @IsInt()
  @IsPositive()
  readonly quantity!: number;
}

@Injectable()
export class ReserveTool {
  constructor(private readonly stock: Stock) {}

  // `unsafe`: a person is asked first, at the server whose user wants it.
  @AgentTool({
    name: 'reserve',
    description: 'Reserves pieces of an article.',
    effects: 'unsafe',
    parameters: ReserveArgs,
  })
  async reserve({ article, quantity }: ReserveArgs, { idempotencyKey }: ToolContext): Promise<string> {
    const isReserved = this.stock.reserve(idempotencyKey, article, quantity);
    return isReserved ? `${quantity} ${article} are reserved.` : `There are not as many ${article}.`;
  }
}
