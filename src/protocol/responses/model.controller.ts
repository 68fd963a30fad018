import { Controller, Get, Param } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ApiRoute } from './api-docs.js';
import { type Model, ModelList } from './model-list.js';
import { PREFIXES, TAG } from './routes.js';

/** `/models`: the agents, as this wire's clients know models. */
@ApiTags(TAG)
@Controller(PREFIXES.map((prefix) => `${prefix}/models`))
export class ModelController {
  constructor(private readonly models: ModelList) {}

  @Get()
  @ApiRoute('List the agents', 'Each can be used as `model`. Any other name selects the default agent.', [])
  list(): ReturnType<ModelList['list']> {
    return this.models.list();
  }

  @Get(':modelId')
  @ApiRoute('Retrieve an agent', 'The item as in the list.', [404])
  find(@Param('modelId') id: string): Model {
    return this.models.find(id);
  }
}
