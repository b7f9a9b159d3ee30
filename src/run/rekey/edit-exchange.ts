/** An exchange with stand-ins for what is personal in it. The signature is then that of another request: see sign-again.ts. */
import type { Exchange, Header, ReceivedResponse, SentRequest } from '../../exchange/exchange.ts';
import { percentDecode, percentEncode } from '../../protocol/index.ts';
import { editForm, editJson, editTarget } from './edit-fields.ts';
import { editPayload } from './edit-payload.ts';
import type { StandIns } from './stand-ins.ts';

/** The exchange; what was not personal keeps its bytes. */
export function editExchange(exchange: Exchange, standIns: StandIns): Exchange {
  const { request, response } = exchange;
  return {
    ...exchange,
    request: editRequest(request, standIns),
    ...(response === undefined ? {} : { response: editResponse(response, standIns) }),
  };
}

function editRequest(request: SentRequest, standIns: StandIns): SentRequest {
  const body = editBody(Buffer.from(request.body), standIns);
  return {
    ...request,
    host: standIns.host(request.host),
    target: editTarget(request.target, standIns),
    headers: withLength(request.headers, request.body.length, body.length).map(([name, value]): Header => {
      if (/^host$/i.test(name)) return [name, standIns.host(value)];
      return /^(?:proxy-)?authorization$/i.test(name) ? [name, editAuthorization(value, standIns)] : [name, value];
    }),
    body,
  };
}

function editResponse(response: ReceivedResponse, standIns: StandIns): ReceivedResponse {
  const headers = response.headers.map(
    ([name, value]): Header => (/^location$/i.test(name) ? [name, editTarget(value, standIns)] : [name, value]),
  );
  return { ...response, headers, body: editBody(Buffer.from(response.body), standIns) };
}

/** By what the body looks like: its type may be the fault that the exchange shows. */
function editBody(body: Buffer, standIns: StandIns): Buffer {
  const text = body.toString('latin1');
  if (/^\s*[{[]/.test(text)) return editJson(body, standIns);
  if (/^\s*["'A-Za-z-]+["']?[;,]/.test(text)) return editPayload(body, standIns.id);
  return /^[^\s=&<]+=/.test(text) ? editForm(body, standIns) : body;
}

const consumerKeyParameter = /(\boauth_consumer_key[ \t]*=[ \t]*)(?:(["'])(.*?)\2|([^"',&\s]*))/gi;

/** Between quotes or not: the form of the header stays. */
function editAuthorization(value: string, standIns: StandIns): string {
  return value.replace(consumerKeyParameter, (_, before: string, quote = '', quoted?: string, bare = '') => {
    const written = quoted ?? bare;
    const consumerKey = decodedOr(written);
    const standIn = standIns.consumerKey(consumerKey);
    return `${before}${quote}${standIn === consumerKey ? written : percentEncode(standIn)}${quote}`;
  });
}

function decodedOr(written: string): string {
  try {
    return percentDecode(written);
  } catch {
    return written;
  }
}

/** A length that was right stays right, and one that was wrong stays as it is. */
export function withLength(headers: readonly Header[], before: number, after: number): readonly Header[] {
  return headers.map(([name, value]) =>
    before !== after && /^content-length$/i.test(name) && value.trim() === String(before)
      ? [name, value.replace(String(before), String(after))]
      : [name, value],
  );
}
