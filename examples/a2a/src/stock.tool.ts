import { Injectable } from '@nestjs/common';
import { AgentTool } from 'parley-server';
import { Stock } from './stock.js';

@Injectable()
export class StockTool {
  constructor(private readonly stock: Stock) {}

  @AgentTool({
    name: 'stock',
    description: 'Tells how many pieces of each article are in stock.',
    effects: 'none',
    parameters: { type: 'object', properties: {}, additionalProperties: false },
  })
  async read(): Promise<Readonly<Record<string, number>>> {
    return this.stock.left;
  }
}
