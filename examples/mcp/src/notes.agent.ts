import { type Agent, type AgentContext, AgentType, ModelLoop } from 'parley-server';

@AgentType({
  name: 'notes',
  description: 'Reads and writes notes: "Read the text file release.txt"',
  exposure: 'public',
  recovery: 'journal',
})
export class NotesAgent implements Agent {
  constructor(private readonly loop: ModelLoop) {}

  run(context: AgentContext): ReturnType<Agent['run']> {
    return this.loop.run(context, {
      systemPrompt:
        'You keep the notes of a team, which are text files. List the folder "." before you read a file. Never invent what a note says.',
    });
  }
}
