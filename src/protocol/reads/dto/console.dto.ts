import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

/** An OpenID provider that a page may sign in with. */
export class SignInDto {
  @ApiProperty({ example: 'staff' })
  alias!: string;

  @ApiProperty({ example: 'https://id.example.com' })
  issuer!: string;

  @ApiProperty({ example: 'parley-console', description: 'The client id of a public client (with PKCE).' })
  clientId!: string;

  @ApiProperty({ type: [String], example: ['openid', 'profile'] })
  scopes!: readonly string[];

  @ApiPropertyOptional({ example: 'consent', description: 'The `prompt` of the authorization request.' })
  prompt?: string;
}

/** A wire of the server. */
export class WireDto {
  @ApiProperty({ example: 'ag-ui', description: 'For `?wire=` and `?protocol=`.' })
  name!: string;
}

/** What a page needs before it can do anything. */
export class ConsoleInfoDto {
  @ApiProperty({ example: 'Parley' })
  product!: string;

  @ApiProperty({ example: '0.1.0' })
  version!: string;

  @ApiProperty({
    enum: ['keys', 'oidc', 'proxy'],
    isArray: true,
    description: 'How callers are authenticated; empty: everyone may use the server.',
  })
  authentication!: readonly string[];

  @ApiProperty({ type: [SignInDto], description: 'The providers whose configuration has a `console` client.' })
  signIn!: readonly SignInDto[];

  @ApiProperty({ type: [WireDto], description: 'The wires in whose frames any run can be shown.' })
  wires!: readonly WireDto[];
}
