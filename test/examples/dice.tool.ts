import { randomInt } from 'node:crypto';
import { IsInt, IsOptional, Max, Min } from 'class-validator';
import { AgentTool } from '../../src/index.js';

class RollArgs {
  @IsOptional()
  @IsInt()
  @Min(2)
  @Max(100)
  readonly sides: number = 6;
}

export class DiceTool {
  @AgentTool({ name: 'roll_dice', description: 'Rolls a dice.', effects: 'none', parameters: RollArgs })
  async roll({ sides }: RollArgs): Promise<number> {
    return randomInt(1, sides + 1);
  }
}
