/** The same name in two places of a request, of which one is signed. Sent where there is room for them. */
import type { Area } from '../../contracts/operations.ts';
import { encodeForm, type Pair } from '../protocol/form.ts';
import { faultsIn, inOpenForm } from './requests.ts';
import type { PlannedCase, RequestPlan } from './scenario.ts';

/** Who joins the places under their names signs one of two values (RFC 5849 3.4.1.3 counts both). */
export function inTwoPlaces(area: Area, right: RequestPlan): PlannedCase[] {
  const fault = faultsIn(right);
  const body = `authentication/${area}-altered-body-refused` as const;
  const uri = `authentication/${area}-altered-uri-refused` as const;
  const others = right.body.map(([name]): Pair => [name, 'added']);
  const version: Pair = ['oauth_version', '1.0'];
  return [
    inOpenForm(
      'A30',
      fault(uri, 'the field of the body in the query too, unsigned', {
        query: encodeForm(others),
        signed: { query: [] },
      }),
    ),
    inOpenForm(
      'A30',
      fault(body, 'the field of the query in the body too, unsigned', {
        query: encodeForm(right.body),
        body: others,
        signed: { body: () => [] },
      }),
    ),
    inOpenForm(
      'A31',
      fault(body, 'a parameter of the header in the body too, unsigned', {
        body: [...right.body, version],
        signed: { body: (sent) => sent.filter(([name]) => name !== version[0]) },
      }),
    ),
    inOpenForm(
      'A31',
      fault(uri, 'a parameter of the header in the query too, unsigned', {
        query: encodeForm([version]),
        signed: { query: [] },
      }),
    ),
  ];
}
