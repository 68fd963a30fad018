import { Injectable } from '@nestjs/common';
import { IsString, MaxLength } from 'class-validator';
import { AgentTool } from 'parley-server';
import { Handbook, type Passage } from './handbook.js';

class SearchArgs {
  @IsString()
  @MaxLength(500)
  readonly question!: string;
}

@Injectable()
export class SearchTool {
  constructor(private readonly handbook: Handbook) {}

  @AgentTool({
    name: 'search_handbook',
    description: 'Finds the sections of the company handbook that fit a question best.',
    effects: 'none',
    parameters: SearchArgs,
  })
  async search({ question }: SearchArgs): Promise<readonly Passage[] | string> {
    const found = this.handbook.search(question);
    return found.length > 0 ? found : 'The handbook says nothing about this.';
  }
}
