/** What a Pact Broker knows us by, and whether something that it says holds that: what it says gets into messages and reports. */
import { CodedError } from '../../record/errors.ts';
import { scannerFor } from '../../run/secrets/scan.ts';
import { secretText } from '../../run/secrets/secret.ts';

/** Whatever goes wrong with a broker. */
export class BrokerError extends CodedError<'unreachable' | 'refused' | 'unreadable' | 'nothing-to-verify'> {}

/** The credentials as the tools of Pact take them: PACT_BROKER_TOKEN, or PACT_BROKER_USERNAME and PACT_BROKER_PASSWORD. Throws BrokerError. */
export function brokerAuthorization(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const { PACT_BROKER_TOKEN: token = '', PACT_BROKER_USERNAME: name = '', PACT_BROKER_PASSWORD: password = '' } = env;
  if (/[^ -~]/.test(`${token}${name}`.trim())) {
    const what = 'the credentials of the Pact Broker have characters that a header cannot have';
    throw new BrokerError('refused', what, 'Set PACT_BROKER_TOKEN or PACT_BROKER_USERNAME to one line of ASCII.');
  }
  if (token !== '') return `Bearer ${token.trim()}`;
  return name === '' ? undefined : `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;
}

/** Finds the token, or the password, of that header in any encoding. */
export function credentialsSearch(authorization = ''): (text: string) => boolean {
  const value = authorization.replace(/^\w+ /, '');
  const pair = Buffer.from(value, 'base64').toString();
  const password = authorization.startsWith('Basic ') ? pair.slice(pair.indexOf(':') + 1) : value;
  const given = [...new Set([value, password])].filter((text) => text !== '');
  const leaksIn = scannerFor(given.map((text) => secretText('the credentials', text)));
  return (text) => leaksIn({ name: 'what a broker says', bytes: Buffer.from(text) }).length > 0;
}
