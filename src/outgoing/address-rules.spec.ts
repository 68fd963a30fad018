import { readSettings } from '../config/index.js';
import { AddressRules } from './address-rules.js';
import { OutgoingSettings } from './outgoing.settings.js';

function rulesOf(allowed?: string): AddressRules {
  return new AddressRules(
    readSettings(OutgoingSettings, allowed === undefined ? {} : { OUTGOING_ALLOWED: allowed }).allowed,
  );
}

const SPECIAL = [
  ...['0.0.0.0', '10.0.0.1', '100.64.0.1', '127.0.0.1', '127.255.255.254', '169.254.169.254', '172.16.0.1'],
  ...['172.31.255.255', '192.0.0.8', '192.168.1.1', '198.18.0.1', '224.0.0.1', '240.0.0.1', '255.255.255.255'],
  ...[
    '::',
    '::1',
    'fc00::1',
    'fd12::1',
    'fe80::1',
    'fe80::1%eth0',
    'ff02::1',
    '2001:db8::1',
    '2001::1',
    '2002:7f00:1::',
  ],
  ...['::ffff:10.0.0.1', '::ffff:7f00:1', '64:ff9b::7f00:1', '::127.0.0.1'],
];
const PUBLIC = ['8.8.8.8', '1.1.1.1', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00:1450::1', '::ffff:8.8.8.8'];

describe('the addresses that the server connects to by itself', () => {
  it.each(SPECIAL)('%s is refused', (address) => {
    expect(rulesOf().permits('host.test', address, false)).toBe(false);
  });

  it.each(PUBLIC)('%s is permitted', (address) => {
    expect(rulesOf().permits('host.test', address, false)).toBe(true);
  });

  it('this machine is permitted to requests that may go to it', () => {
    const rules = rulesOf();
    expect(['127.0.0.1', '::1', '::ffff:127.0.0.1'].map((one) => rules.permits('localhost', one, true))).toEqual([
      true,
      true,
      true,
    ]);
    expect(rules.permits('localhost', '10.0.0.1', true)).toBe(false);
  });

  it('hosts and networks of OUTGOING_ALLOWED are permitted', () => {
    const rules = rulesOf('Login.Corp.example, 10.20.0.0/16,fd00::/8');
    expect(rules.permits('login.corp.example', '192.168.0.1', false)).toBe(true);
    expect(rules.permits('login.corp.example.', '192.168.0.1', false)).toBe(true);
    expect(rules.permits('other.corp.example', '192.168.0.1', false)).toBe(false);
    expect(rules.permits('other.corp.example', '10.20.3.4', false)).toBe(true);
    expect(rules.permits('other.corp.example', '::ffff:10.20.3.4', false)).toBe(true);
    expect(rules.permits('other.corp.example', '10.21.0.1', false)).toBe(false);
    expect(rules.permits('other.corp.example', 'fd00::1', false)).toBe(true);
  });

  it.each(['0.0.0.0/0', '::/0', 'https://a.test', 'a.test:443', '*', 'a b', ','])(
    'OUTGOING_ALLOWED=%s is refused',
    (text) => {
      expect(() => rulesOf(text)).toThrow('OUTGOING_ALLOWED');
    },
  );
});
