/** Gateways that join header, query and body under the names in them, so that of two values one is signed. */
import type { SignatureMaterial } from '../../mock/signature.ts';
import { decodeForm, encodeForm, type Pair } from '../../protocol/form.ts';
import { type GatewayDefect, ofEither } from '../defect.ts';
import { alsoTakes } from '../taken-anyway.ts';

export const twoPlacesDefects: readonly GatewayDefect[] = [
  ofEither(
    'body-hides-query',
    'A parameter of the query that the body has too is not signed',
    ['altered-uri-refused'],
    alsoTakes((material) => ({ ...material, query: without(material.query, material.body) })),
  ),
  ofEither(
    'query-hides-body',
    'A field that the query has too is read from there, and signed once',
    ['altered-body-refused'],
    {
      reads: (request) => {
        const [path = '', query = ''] = request.target.split('?');
        const fields = decodeForm(query);
        const rest = without(decodeForm(request.body), fields);
        const isHidden = rest.length < decodeForm(request.body).length;
        return isHidden ? { ...request, target: path, body: Buffer.from(encodeForm([...fields, ...rest])) } : request;
      },
    },
  ),
  ofEither(
    'header-hides-body-and-query',
    'A parameter of body or query that the header has too is not signed',
    ['altered-uri-refused', 'altered-body-refused'],
    {
      skips: ['payload-alone', 'parameters-in-header'],
      ...alsoTakes(({ header, ...material }: SignatureMaterial) => ({
        ...material,
        header,
        body: without(material.body, header),
        query: without(material.query, header),
      })),
    },
  ),
];

function without(pairs: readonly Pair[], others: readonly Pair[]): Pair[] {
  const names = new Set(others.map(([name]) => name));
  return pairs.filter(([name]) => !names.has(name));
}
