/** An exchange with stand-ins for what is personal in it. The signature is then that of another request: see sign-again.ts. */
import type { Exchange, Header, ReceivedResponse, SentRequest } from '../../record/exchange.ts';
import { isLoopback } from '../../record/hosts.ts';
import type { GivenCells } from './edit-csv.ts';
import { editForm, editJson, editTarget, editValue } from './edit-fields.ts';
import { editPayload } from './edit-payload.ts';
import type { StandIns } from './stand-ins.ts';

/** The exchange; what was not personal keeps its bytes. */
export function editExchange(exchange: Exchange, standIns: StandIns, given?: GivenCells): Exchange {
  const { request, response } = exchange;
  return {
    ...exchange,
    startedAt: standIns.time(exchange.startedAt),
    request: editRequest(request, standIns, given),
    response: response && editResponse(response, standIns),
  };
}

/** Headers that name proxies, addresses, sessions or single requests; no requirement is about them. */
const tellsOfNetwork =
  /^(?:(?:set-)?cookie2?|via|forwarded|x-(?:forwarded|real|client|original|served|backend|upstream|cache)\b.*|.*(?:request|correlation|trace|span|session|transaction)-?id|.*(?:user|user-?name|user-?id|e-?mail|login|trace|trace-context)|traceparent|tracestate|baggage|x-amzn-trace-id|x-b3-.*|cf-ray|x-amz-cf-.*|referer|origin|from)$/i;

function editRequest(request: SentRequest, standIns: StandIns, given?: GivenCells): SentRequest {
  const body = editBody(Buffer.from(request.body), standIns, given);
  return {
    ...request,
    host: standIns.host(request.host),
    target: editTarget(request.target, standIns),
    headers: withLength(request.headers, request.body.length, body.length).map(([name, value]): Header => {
      if (/^host$/i.test(name)) return [name, standIns.host(value)];
      if (tellsOfNetwork.test(name)) return [name, ofNetwork(value, standIns)];
      return /^(?:proxy-)?authorization$/i.test(name)
        ? [name, editAuthorization(value, standIns, given)]
        : [name, value];
    }),
    body,
  };
}

function editResponse(response: ReceivedResponse, standIns: StandIns): ReceivedResponse {
  const headers = response.headers.map(([name, value]): Header => {
    if (/^location$/i.test(name)) return [name, editTarget(value, standIns)];
    return [name, tellsOfNetwork.test(name) ? ofNetwork(value, standIns) : value];
  });
  return { ...response, headers, body: editBody(Buffer.from(response.body), standIns) };
}

/** This machine is that of everybody: its name is in other texts too, as in what a report says by itself. */
function ofNetwork(value: string, standIns: StandIns): string {
  return isLoopback(value.replace(/^https?:\/\//i, '')) ? value : standIns.id(value);
}

/** By what the body looks like: its type may be the fault that the exchange shows. */
function editBody(body: Buffer, standIns: StandIns, given?: GivenCells): Buffer {
  const text = body.toString('latin1');
  if (/^\s*[{[]/.test(text)) return editJson(body, standIns);
  if (/^\s*["'A-Za-z-]+["']?[;,]/.test(text)) return editPayload(body, standIns, given);
  return /^[^\s=&<]+=/.test(text) ? editForm(body, standIns, given) : body;
}

const headerParameter = /(?<![^\s=",;&'])([^\s=",;&']+)([ \t]*=[ \t]*)(?:(["'])(.*?)\3|([^"',;&\s]*))/g;

/** Parameters between quotes or not: the form of the header stays. */
function editAuthorization(header: string, standIns: StandIns, given?: GivenCells): string {
  if (/^\s*(?:basic|bearer|digest)\s/i.test(header)) return header.replace(/(?<=^\s*\w+\s).*$/s, standIns.id);
  return header.replace(
    headerParameter,
    (_, name: string, equals: string, quote = '', quoted?: string, bare: string = '') => {
      const value = editValue(name, Buffer.from(quoted ?? bare, 'latin1'), standIns, given).toString('latin1');
      return `${name}${equals}${quote}${value}${quote}`;
    },
  );
}

/** A length that was right stays right, and a wrong one is kept. */
export function withLength(headers: readonly Header[], before: number, after: number): readonly Header[] {
  return headers.map(([name, value]) =>
    before !== after && /^content-length$/i.test(name) && value.trim() === String(before)
      ? [name, value.replace(String(before), String(after))]
      : [name, value],
  );
}
