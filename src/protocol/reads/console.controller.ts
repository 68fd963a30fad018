import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { AccessSettings, OidcSettings, Public } from '../../access/index.js';
import { VERSION } from '../../common/index.js';
import { Wires } from '../wire/index.js';
import { ReadRoute } from './api-docs.js';
import { ConsoleInfoDto } from './dto/console.dto.js';

/** What a page needs before anybody has signed in (contract console, section 6). */
@ApiTags('Console')
@Public()
@Controller('api/v1/console')
export class ConsoleController {
  constructor(
    private readonly access: AccessSettings,
    private readonly oidc: OidcSettings,
    private readonly wires: Wires,
  ) {}

  @Get()
  @ApiOkResponse({ type: ConsoleInfoDto })
  @ReadRoute('What a page has to know first', 'Version, ways to sign in, and wires. Needs no credential.', [])
  info(): ConsoleInfoDto {
    return {
      product: 'Parley',
      version: VERSION,
      authentication: this.access.methods,
      signIn: this.oidc.issuers.flatMap(({ alias, issuer, console: client }) =>
        client ? [{ alias, issuer, ...client }] : [],
      ),
      wires: this.wires.watched.map(({ name }) => ({ name })),
    };
  }
}
