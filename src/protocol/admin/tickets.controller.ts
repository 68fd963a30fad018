import { Body, Controller, Header, Post } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { Caller, NeedsCaller, TicketRoutes, Tickets } from '../../access/index.js';
import { PublicAddress } from '../../agent/attachment/index.js';
import { isoTime } from '../../common/index.js';
import { DtoPipe } from '../http/index.js';
import { TicketDto, TicketRequestDto } from './dto/ticket.dto.js';

/** Tickets for clients that cannot send headers (contract access, section 3.4). */
@ApiTags('Access')
@Controller('access/tickets')
@NeedsCaller()
export class TicketsController {
  constructor(
    private readonly tickets: Tickets,
    private readonly routes: TicketRoutes,
    private readonly address: PublicAddress,
  ) {}

  @Post()
  @Header('cache-control', 'no-store')
  @ApiOperation({
    summary: 'Get a ticket',
    description:
      'For `EventSource` and browser WebSockets, which cannot send a credential. A ticket opens one path within 60 s: an event stream, which may be opened again with `Last-Event-ID` for 15 min, or one WebSocket.',
  })
  @ApiBody({ type: TicketRequestDto })
  @ApiCreatedResponse({ type: TicketDto })
  @ApiResponse({ status: 400, description: 'The path accepts no tickets.' })
  @ApiResponse({ status: 403, description: 'The caller lacks the scope of the path.' })
  issue(@Body(DtoPipe) { path }: TicketRequestDto, @Caller() caller: Caller): TicketDto {
    const url = new URL(path, 'http://localhost');
    this.routes.check(caller, url.pathname);
    const { ticket, expiresAt } = this.tickets.issue(caller, url.pathname);
    url.searchParams.set('ticket', ticket);
    const address = `${this.address.base}${url.pathname}${url.search}`;
    return { ticket, url: address, expiresAt: isoTime(expiresAt) };
  }
}
