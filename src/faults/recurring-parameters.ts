/** Gateways whose bodies of section 2.4 differ from it; they show in the scripted answers of a mock. */
import type { TestableId } from '../../contracts/requirements/index.ts';
import { editBody, type Reply, withHeader } from '../mock/reply.ts';
import type { GatewayDefect } from './defect.ts';

export const recurringParameterDefects: readonly GatewayDefect[] = [
  defect(
    'parameters-as-plain-text',
    'A body of 2.4 comes as text/plain',
    ['recurring/parameters-content-type'],
    (reply) => withHeader(reply, 'Content-Type', 'text/plain;charset=utf-8'),
  ),
  defect(
    'parameters-said-to-be-packed',
    'A body of 2.4 comes as it is, and Content-Encoding says gzip',
    ['recurring/success-body-empty'],
    (reply) => withHeader(reply, 'Content-Encoding', 'gzip'),
  ),
  defect(
    'parameters-without-line-feeds',
    'The values of 2.4 do not end with 0x0A',
    ['recurring/parameters-line-feed'],
    (reply) => editBody(reply, (text) => text.replaceAll('\n', '')),
  ),
  // Without its type an answer tells neither acceptance nor refusal; the rows that ask for more of a type are silent then.
  defect('parameters-without-type', 'A body of 2.4 has no type', ['recurring/type-present'], without('type')),
  defect(
    'parameters-of-other-type',
    'The type of an accepted batch is async-response',
    ['recurring/type-value'],
    (reply) =>
      editBody(reply, (text) => text.replace('type=process-recurring-payment-response', 'type=async-response')),
  ),
  defect(
    'parameters-without-status',
    'A body of an accepted batch has no status',
    ['recurring/status-present'],
    without('status'),
  ),
  defect(
    'parameters-without-serial',
    'A body of 2.4 has no serial-number',
    ['recurring/serial-number-present'],
    without('serial-number'),
  ),
  defect(
    'parameters-with-one-serial',
    'Every body of 2.4 has the same serial-number',
    ['recurring/serial-number-unique'],
    (reply) => editBody(reply, (text) => text.replace(/serial-number=[^&\n]*/, 'serial-number=1')),
  ),
  defect(
    'error-without-message',
    'An error body has no error-message',
    ['recurring/error-message-present'],
    without('error-message'),
  ),
  defect(
    'error-without-code',
    'An error body has no error-code',
    ['recurring/error-code-present'],
    without('error-code'),
  ),
  defect('error-with-other-code', 'An error body has the code 404', ['recurring/error-code-value'], (reply) =>
    editBody(reply, (text) => text.replace(/error-code=403/, 'error-code=404')),
  ),
  defect('type-empty', 'The type of a body of 2.4 is empty', ['recurring/type-present'], empty('type')),
  defect('status-empty', 'The status of an accepted batch is empty', ['recurring/status-present'], empty('status')),
  defect(
    'error-message-empty',
    'An error body has an empty error-message',
    ['recurring/error-message-present'],
    empty('error-message'),
  ),
  defect(
    'error-code-empty',
    'An error body has an empty error-code',
    ['recurring/error-code-present'],
    empty('error-code'),
  ),
  defect('error-code-twice', 'An error body has error-code twice', ['recurring/error-code-present'], (reply) =>
    editBody(reply, (text) => text.replace(/error-code=\d+\n/, '$&&$&')),
  ),
  defect('type-twice', 'A body of 2.4 has type twice', ['recurring/type-present'], (reply) =>
    editBody(reply, (text) => text.replace(/type=[^&\n]*\n/, '$&&$&')),
  ),
  defect(
    'parameters-not-encoded',
    'The values of 2.4 come without percent-encoding, blanks and all',
    ['recurring/parameters-line-feed'],
    (reply) => editBody(reply, (text) => text.replaceAll('%20', ' ')),
  ),
  defect(
    'parameters-with-byte-order-mark',
    'A body of 2.4 starts with a byte-order mark',
    ['recurring/parameters-line-feed', 'recurring/type-present'],
    (reply) => editBody(reply, (text) => `\ufeff${text}`),
  ),
  defect(
    'error-500-without-id',
    'An error body with code 500 has no error ID',
    ['recurring/error-id-with-500'],
    without('error-id'),
  ),
  defect(
    'error-500-code-in-message',
    'An error body with code 500 has that code in error-message, and no error ID',
    ['recurring/error-id-with-500'],
    (reply) => editBody(without('error-id')(reply), (text) => text.replace(/(error-message=[^\n]*)/, '$1%20(500)')),
  ),
];

type Edit = (reply: Reply) => Reply;

function defect(what: string, summary: string, breaks: readonly TestableId<'gateway'>[], edit: Edit): GatewayDefect {
  return {
    id: `recurring/${what}`,
    side: 'gateway',
    operation: 'process-recurring-payments',
    summary,
    breaks,
    alteration: {
      writes: (reply, { operation }) =>
        operation === 'process-recurring-payments' && reply.body.length > 0 ? edit(reply) : reply,
    },
  };
}

/** Leaves the value of one parameter out, its line feed stays. */
function empty(name: string): Edit {
  return (reply) => editBody(reply, (text) => text.replace(new RegExp(`(^|&)${name}=[^&\\n]*`), `$1${name}=`));
}

/** Leaves one parameter out, its line feed and separator with it. */
function without(name: string): Edit {
  return (reply) =>
    editBody(reply, (text) =>
      text
        .split('&')
        .filter((part) => !part.startsWith(`${name}=`))
        .join('&'),
    );
}
