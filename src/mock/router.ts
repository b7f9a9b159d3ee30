/** Route lookup for the desk and the mock's control interface. */

/** A route with the ids from the path, in order; or the methods of the path, empty if the path is unknown. */
type Routed<Route> =
  | { readonly route: Route; readonly ids: readonly string[] }
  | { readonly methods: readonly string[] };

/** @param routes keys are method and path, such as `GET /endpoints/<id>`; segments in angle brackets are ids */
export function routeIn<Route>(routes: Readonly<Record<string, Route>>, method: string, target: string): Routed<Route> {
  const given = target.split('?', 1)[0]!.split('/');
  const methods: string[] = [];
  for (const [name, route] of Object.entries(routes)) {
    const [wantedMethod = '', path = ''] = name.split(' ');
    const ids = idsIn(path.split('/'), given);
    if (ids === undefined) continue;
    if (wantedMethod === method) return { route, ids };
    methods.push(wantedMethod);
  }
  return { methods };
}

function idsIn(wanted: readonly string[], given: readonly string[]): readonly string[] | undefined {
  const isId = (segment: string) => segment.startsWith('<');
  const fits = (segment: string, at: number) => (isId(segment) ? given[at] !== '' : given[at] === segment);
  if (wanted.length !== given.length || !wanted.every(fits)) return undefined;
  return given.filter((_, at) => isId(wanted[at]!)).map(decoded);
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
