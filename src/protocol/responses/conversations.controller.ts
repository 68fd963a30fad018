import { Body, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Caller, Needs } from '../../access/index.js';
import { DtoPipe } from '../http/index.js';
import { WireController } from '../wire/index.js';
import { type ListPage, openAiPaths } from '../openai/index.js';
import { ApiConversation, ApiItems, ApiRoute, TAG } from './api-docs.js';
import { type Conversation, ConversationsService, type DeletedConversation } from './conversations.service.js';
import { PageQueryDto } from './dto/queries.dto.js';
import type { Item } from './items/item.types.js';
import { ResponsesWire } from './responses.wire.js';

/** `/conversations` (contract responses, section A1): the sessions of the server as conversations. */
@ApiTags(TAG)
@Needs('runs:write')
@WireController(ResponsesWire, openAiPaths('conversations'))
export class ConversationsController {
  constructor(private readonly conversations: ConversationsService) {}

  @Post()
  @HttpCode(200)
  @ApiConversation()
  @ApiRoute('Create a conversation', 'Optionally with metadata and up to 20 items.', [400])
  create(@Body() body: unknown, @Caller() caller: Caller): Promise<Conversation> {
    return this.conversations.create(caller, body);
  }

  @Get(':conversationId')
  @Needs('runs:read')
  @ApiRoute(
    'Retrieve a conversation',
    'Any session can be read, whichever wire has created it, except sessions of named users, which are unknown to this route.',
    [404],
  )
  find(@Param('conversationId') id: string, @Caller() caller: Caller): Promise<Conversation> {
    return this.conversations.find(caller, id);
  }

  @Post(':conversationId')
  @HttpCode(200)
  @ApiConversation()
  @ApiRoute('Update a conversation', 'Replaces its metadata.', [400, 404])
  update(@Param('conversationId') id: string, @Body() body: unknown, @Caller() caller: Caller): Promise<Conversation> {
    return this.conversations.update(caller, id, body);
  }

  @Delete(':conversationId')
  @ApiRoute('Delete a conversation', 'With its items and responses.', [404])
  remove(@Param('conversationId') id: string, @Caller() caller: Caller): Promise<DeletedConversation> {
    return this.conversations.remove(caller, id);
  }

  @Get(':conversationId/items')
  @Needs('runs:read')
  @ApiRoute('List the items of a conversation', 'Newest first unless order=asc.', [400, 404])
  list(
    @Param('conversationId') id: string,
    @Query(DtoPipe) query: PageQueryDto,
    @Caller() caller: Caller,
  ): Promise<ListPage<Item>> {
    return this.conversations.listItems(caller, id, query);
  }

  @Post(':conversationId/items')
  @HttpCode(200)
  @ApiItems()
  @ApiRoute('Add items to a conversation', 'At most 20 items. The response lists them.', [400, 404])
  add(@Param('conversationId') id: string, @Body() body: unknown, @Caller() caller: Caller): Promise<ListPage<Item>> {
    return this.conversations.addItems(caller, id, body);
  }

  @Get(':conversationId/items/:itemId')
  @Needs('runs:read')
  @ApiRoute('Retrieve an item', 'The item as in the list.', [404])
  item(@Param('conversationId') id: string, @Param('itemId') itemId: string, @Caller() caller: Caller): Promise<Item> {
    return this.conversations.findItem(caller, id, itemId);
  }

  @Delete(':conversationId/items/:itemId')
  @ApiRoute('Delete an item', 'Returns the conversation.', [404])
  removeItem(
    @Param('conversationId') id: string,
    @Param('itemId') itemId: string,
    @Caller() caller: Caller,
  ): Promise<Conversation> {
    return this.conversations.removeItem(caller, id, itemId);
  }
}
