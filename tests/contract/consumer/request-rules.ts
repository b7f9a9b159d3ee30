/** What a request has to look like for the contract: a body of the named fields, and the header of section 5 in any order. */
import type { Rules, V3Request } from '@pact-foundation/pact';
import { encodeForm } from '../../../src/protocol/form.ts';
import { authorization, type ClientRequest } from './client.ts';

const anyText = '^[\\s\\S]*$';

/**
 * The forms of form fields by their name (2.1, 4.2). A field that the example has not is not allowed. Which letters an
 * id may have is open (A8).
 */
const fieldForms: Readonly<Record<string, string>> = {
  day_close_request_id: '^[\\p{L}\\p{Nd}]{8,32}$',
  sale_approved_count: anyText,
  sale_approved_sum: anyText,
  reversal_approved_count: anyText,
  reversal_approved_sum: anyText,
  payload: '^[A-Za-z0-9+/]+={0,2}$',
};

/** The request as an interaction has it: its own values are the examples. `forms` where a field is wrong on purpose. */
export function expected(
  request: ClientRequest,
  forms: Readonly<Record<string, string>> = fieldForms,
): V3Request & { rules: Rules } {
  return {
    method: 'POST',
    path: request.path,
    headers: {
      'Content-Type': 'application/x-www-form-urlencoded',
      ...(request.unsigned ? {} : { Authorization: authorization(request, 'https', 'gateway.example') }),
    },
    body: encodeForm(request.body),
    rules: {
      header: [
        ...(request.unsigned
          ? []
          : [{ path: 'Authorization', rules: authorizationForms(request.key.method).map(regex) }]),
        // A media type: case, white space and parameters do not count (RFC 9110 section 8.3).
        { path: 'Content-Type', rules: [regex('^\\s*(?i:application/x-www-form-urlencoded)\\s*(;.*)?$')] },
      ],
      body: request.body.map(([name]) => ({ path: `$.${name}`, rules: [regex(forms[name]!)] })),
    },
  };
}

/** One form for each parameter: together they say which there are, and nothing of their order. */
function authorizationForms(method: string): string[] {
  const parameters = {
    oauth_consumer_key: '[^"]+',
    oauth_signature_method: method,
    oauth_timestamp: '0*[1-9][0-9]*',
    oauth_nonce: '[^"]+',
    oauth_version: '1\\.0',
    oauth_signature: '(?:[A-Za-z0-9]|%2[BbFf]|%3[Dd])+',
  };
  // The core compares the whole value, whether or not the expression is anchored.
  return [
    '^[Oo][Aa][Uu][Tt][Hh][ \\t]+.+$',
    ...Object.entries(parameters).map(([name, form]) => `^.*[ \\t,]${name}="${form}".*$`),
  ];
}

/** A rule has no example of its own: the request holds it. */
function regex(form: string) {
  return { 'pact:matcher:type': 'regex', regex: form };
}
