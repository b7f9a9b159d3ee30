/** A Pact Broker on a free port of 127.0.0.1, as docs.pact.io describes it. It stores the requests that it gets. */

import { createServer, type IncomingMessage } from 'node:http';
import { listen } from '../../listen.ts';

export interface StubBroker {
  readonly url: string;
  /** Method, path, credentials and body of each request. */
  readonly requests: {
    readonly line: string;
    readonly authorization?: string | undefined;
    readonly body: unknown;
  }[];
  close(): Promise<void>;
}

export interface StoredPact {
  readonly consumer: string;
  readonly version: string;
  /** The published pact. */
  readonly pact: object;
}

/** Starts a broker. If `override` returns an answer, the broker sends that instead of its own. */
export async function startStubBroker(
  stored: readonly StoredPact[],
  override: (line: string, base: string) => { status: number; text: string } | undefined = () => undefined,
): Promise<StubBroker> {
  const requests: StubBroker['requests'][number][] = [];
  const server = createServer(async (request, response) => {
    const text = await textOf(request);
    const line = `${request.method} ${request.url}`;
    requests.push({ line, authorization: request.headers.authorization, body: text ? JSON.parse(text) : undefined });
    const { status, text: answer } = override(line, url) ?? answerTo(line, url, stored);
    response.writeHead(status, { 'Content-Type': 'application/hal+json;charset=utf-8' }).end(answer);
  });
  const url = `http://${(await listen(server)).host}`;
  return {
    url,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function answerTo(line: string, base: string, stored: readonly StoredPact[]): { status: number; text: string } {
  const at = (path: string) => ({ href: `${base}${path}` });
  const ok = (value: object, status = 200) => ({ status, text: JSON.stringify(value) });
  if (line === 'GET /') {
    return ok({
      _links: {
        'pb:provider-pacts-for-verification': { ...at('/pacts/provider/{provider}/for-verification'), templated: true },
        'pb:pacticipant-branch-version': {
          ...at('/pacticipants/{pacticipant}/branches/{branch}/versions/{version}'),
          templated: true,
        },
      },
    });
  }
  const pathOf = ({ consumer, version }: StoredPact) =>
    `/pacts/provider/payment-gateway/consumer/${consumer}/version/${version}`;
  if (line.endsWith('/for-verification')) {
    const pacts = stored.map((one) => ({
      shortDescription: 'latest from main branch',
      verificationProperties: { notices: [] },
      _links: {
        self: { ...at(pathOf(one)), name: `Pact between ${one.consumer} (${one.version}) and payment-gateway` },
      },
    }));
    return ok({ _embedded: { pacts }, _links: { self: at('/pacts/provider/payment-gateway/for-verification') } });
  }
  const one = stored.find((each) => line === `GET ${pathOf(each)}`);
  if (one !== undefined) {
    const _links = {
      'pb:provider': at('/pacticipants/payment-gateway'),
      'pb:publish-verification-results': at(`${pathOf(one)}/verification-results`),
    };
    return ok({ ...one.pact, _links });
  }
  if (line === 'GET /pacticipants/payment-gateway') {
    const branch = { ...at('/pacticipants/payment-gateway/branches/{branch}/versions/{version}'), templated: true };
    return ok({ name: 'payment-gateway', _links: { 'pb:branch-version': branch } });
  }
  const isWritten = line.startsWith('PUT /pacticipants/') || line.endsWith('/verification-results');
  return isWritten ? ok({}, 201) : ok({ error: 'The requested document was not found' }, 404);
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
}
