/** One control request in, one answer out; what it changes is the world. */
import { MockError } from '../mock-error.ts';
import { type Controlled, type Route, routes } from './routes.ts';

export interface ControlRequest {
  readonly method: string;
  /** Path as received; a query is not looked at. */
  readonly target: string;
  readonly body: Uint8Array;
}

export interface ControlAnswer {
  readonly status: number;
  /** Methods of the path, where another one was used (RFC 9110 section 15.5.6). */
  readonly allow?: string;
  readonly json: object;
}

/** A request that cannot be done is answered with `error` and `hint`, a sentence each; only a fault of the mock is thrown. */
export function answerControl(request: ControlRequest, controlled: Controlled): ControlAnswer {
  const found = routes.flatMap((route) => {
    const ids = match(route.path, request.target);
    return ids === undefined ? [] : [{ route, ids }];
  });
  if (found.length === 0) return { status: 404, json: noRoute(request) };
  const chosen = found.find(({ route }) => route.method === request.method);
  if (chosen === undefined) {
    const allow = found.map(({ route }) => route.method).join(', ');
    return {
      status: 405,
      allow,
      json: { error: `${request.target} does not take ${request.method}`, hint: `send ${allow}` },
    };
  }
  try {
    return { status: 200, json: chosen.route.act(controlled, chosen.ids, request.body) };
  } catch (error) {
    if (!(error instanceof MockError)) throw error;
    return { status: error.code === 'no-such-thing' ? 404 : 400, json: { error: error.message, hint: error.hint } };
  }
}

/** The ids in the target, in the order of the path; undefined where it is another path. */
function match(path: string, target: string): string[] | undefined {
  const [asked = ''] = target.split('?', 1);
  const wanted = path.split('/');
  const given = asked.split('/');
  if (wanted.length !== given.length) return undefined;
  const ids: string[] = [];
  for (const [index, segment] of wanted.entries()) {
    const part = given[index]!;
    if (!segment.startsWith('<')) {
      if (segment !== part) return undefined;
    } else if (part === '') return undefined;
    else ids.push(decoded(part));
  }
  return ids;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function noRoute({ method, target }: ControlRequest): object {
  const lines = routes.map((route: Route) => `${route.method} ${route.path}`);
  return { error: `there is no ${method} ${target}`, hint: 'GET / says what each route does', routes: lines };
}
