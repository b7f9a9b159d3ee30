/** The answer to a batch of recurring payments as judges see it: empty, the parameters of 2.4, or something else. */
import type { Exchange } from '../exchange/exchange.ts';

export interface Parameter {
  readonly name: string;
  /** Decoded value without its trailing 0x0A, if it had one. */
  readonly value: string;
  readonly endsWithLineFeed: boolean;
}

export type RecurringBody =
  | { readonly kind: 'empty' }
  | { readonly kind: 'parameters'; readonly parameters: readonly Parameter[] }
  | { readonly kind: 'other'; readonly problem: string };

const documented = ['type', 'status', 'serial-number', 'error-message', 'error-code'];

/** The body of an answer; undefined where no answer came. A body is one of 2.4 if it has at least one of its names. */
export function recurringBody(exchange: Exchange): RecurringBody | undefined {
  const { response } = exchange;
  if (response === undefined) return undefined;
  if (response.body.length === 0) return { kind: 'empty' };
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(response.body);
    const parameters = text.split('&').map(readParameter);
    if (parameters.some(({ name }) => documented.includes(name))) return { kind: 'parameters', parameters };
  } catch {
    return { kind: 'other', problem: `${response.body.length} bytes that are not form-urlencoded UTF-8` };
  }
  return { kind: 'other', problem: `${response.body.length} bytes without any parameter of 2.4` };
}

/** Value of a parameter of 2.4; undefined where the body has none or is another one. */
export function parameterOf(exchange: Exchange, name: string): string | undefined {
  const body = recurringBody(exchange);
  return body?.kind === 'parameters' ? body.parameters.find((parameter) => parameter.name === name)?.value : undefined;
}

/** The line feed is not part of name or value: it may come raw or as %0A, and before the next name. */
function readParameter(part: string): Parameter {
  const at = part.indexOf('=');
  const name = decode(at === -1 ? part : part.slice(0, at)).replace(/^\r?\n/, '');
  const value = at === -1 ? '' : decode(part.slice(at + 1));
  const endsWithLineFeed = value.endsWith('\n');
  return { name, value: endsWithLineFeed ? value.slice(0, -1) : value, endsWithLineFeed };
}

function decode(text: string): string {
  return decodeURIComponent(text.replace(/\+/g, ' '));
}
