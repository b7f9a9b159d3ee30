/** Which route of a table a request is for. The desk and the control interface of the mock both ask here. */

/** A route and the ids in the path, in their order; otherwise the methods that the path has, none where there is no such path. */
type Routed<Route> =
  | { readonly route: Route; readonly ids: readonly string[] }
  | { readonly methods: readonly string[] };

/** @param routes by method and path, such as `GET /endpoints/<id>`: segments in angle brackets are ids */
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
