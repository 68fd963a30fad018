import { Injectable, Module } from '@nestjs/common';
import { type Agent, type AgentContext, AgentTool, AgentType, ModelLoop, ParleyModule } from '../../src/index.js';

@Injectable()
export class OrdersService {
  count(): number {
    return 3;
  }
}

@Module({ providers: [OrdersService], exports: [OrdersService] })
class OrdersModule {}

@Injectable()
class OrdersTool {
  constructor(private readonly orders: OrdersService) {}

  @AgentTool({ name: 'count_orders', description: 'Counts.', effects: 'none', parameters: { type: 'object' } })
  async count(): Promise<number> {
    return this.orders.count();
  }
}

@AgentType({ name: 'support', description: 'Answers questions about orders.', exposure: 'public', recovery: 'journal' })
class SupportAgent implements Agent {
  constructor(private readonly loop: ModelLoop) {}

  run(context: AgentContext): ReturnType<Agent['run']> {
    return this.loop.run(context, { systemPrompt: 'Answer questions about orders.' });
  }
}

@Module({
  imports: [
    OrdersModule,
    ParleyModule.forRoot({
      basePath: '/agents',
      auth: 'keys',
      agents: [SupportAgent],
      tools: [OrdersTool],
      imports: [OrdersModule],
      inject: [OrdersService],
      settings: {
        LLM_BASE_URL: 'http://127.0.0.1:11434/v1',
        LLM_MODEL: 'qwen3',
        PUBLIC_BASE_URL: 'https://shop.example/agents',
        DATA_DIR: process.env['SHOP_DATA'] ?? './data',
      },
    }),
  ],
})
export class ShopModule {}
