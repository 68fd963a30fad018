import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ShapePipe } from '../http/index.js';
import { ApiConversation, ApiItems, ApiRoute } from './api-docs.js';
import { ConversationItems } from './conversation-items.js';
import { type Conversation, ConversationService, type DeletedConversation } from './conversation.service.js';
import { PageQueryDto } from './dto/queries.dto.js';
import type { Item } from './items/item.types.js';
import type { ListPage } from './list-page.js';
import { PREFIXES, TAG } from './routes.js';

/** `/conversations` (contract responses, section A1): the sessions of the server under this wire's name. */
@ApiTags(TAG)
@Controller(PREFIXES.map((prefix) => `${prefix}/conversations`))
export class ConversationController {
  constructor(
    private readonly conversations: ConversationService,
    private readonly items: ConversationItems,
  ) {}

  @Post()
  @HttpCode(200)
  @ApiConversation()
  @ApiRoute('Create a conversation', 'Optionally with metadata and up to 20 items.', [400])
  create(@Body() body: unknown): Promise<Conversation> {
    return this.conversations.create(body);
  }

  @Get(':conversationId')
  @ApiRoute(
    'Retrieve a conversation',
    'Any session can be read, whichever wire has created it, except sessions of named users, which are unknown to this route.',
    [404],
  )
  find(@Param('conversationId') id: string): Promise<Conversation> {
    return this.conversations.find(id);
  }

  @Post(':conversationId')
  @HttpCode(200)
  @ApiConversation()
  @ApiRoute('Update a conversation', 'Replaces its metadata.', [400, 404])
  update(@Param('conversationId') id: string, @Body() body: unknown): Promise<Conversation> {
    return this.conversations.update(id, body);
  }

  @Delete(':conversationId')
  @ApiRoute('Delete a conversation', 'With its items and responses.', [404])
  remove(@Param('conversationId') id: string): Promise<DeletedConversation> {
    return this.conversations.remove(id);
  }

  @Get(':conversationId/items')
  @ApiRoute('List the items of a conversation', 'Newest first unless order=asc.', [400, 404])
  list(
    @Param('conversationId') id: string,
    @Query(new ShapePipe(PageQueryDto)) query: PageQueryDto,
  ): Promise<ListPage<Item>> {
    return this.items.list(id, query);
  }

  @Post(':conversationId/items')
  @HttpCode(200)
  @ApiItems()
  @ApiRoute('Add items to a conversation', 'At most 20 items. The response lists them.', [400, 404])
  add(@Param('conversationId') id: string, @Body() body: unknown): Promise<ListPage<Item>> {
    return this.items.add(id, body);
  }

  @Get(':conversationId/items/:itemId')
  @ApiRoute('Retrieve an item', 'The item as in the list.', [404])
  item(@Param('conversationId') id: string, @Param('itemId') itemId: string): Promise<Item> {
    return this.items.find(id, itemId);
  }

  @Delete(':conversationId/items/:itemId')
  @ApiRoute('Delete an item', 'Returns the conversation.', [404])
  async removeItem(@Param('conversationId') id: string, @Param('itemId') itemId: string): Promise<Conversation> {
    await this.items.remove(id, itemId);
    return this.conversations.find(id);
  }
}
