/** The frame of every judge of requests: which cases it sees, and what a case says that it sees no request of. */
import type { Operation } from '../../../contracts/operations.ts';
import { groundsOf, type RequirementId } from '../../../contracts/requirements/index.ts';
import type { ClientCase } from '../../record/client-case.ts';
import type { Exchange } from '../../record/exchange.ts';
import { lacks, type losses } from '../../record/har-losses.ts';
import { type Finding, inconclusive } from '../finding.ts';
import { bodyRows } from './body-rows.ts';
import type { ClientJudge, ClientQuestion, ClientVerdict } from './client-judge.ts';
import { forbiddenFinding, sharesItsValue } from './forbidden.ts';
import { type RequestReading, readRequest } from './reading.ts';
import { unsentFindings } from './unsent.ts';

/** One request of a client, read. */
export interface WireCase {
  readonly examined: ClientCase;
  readonly exchange: Exchange;
  readonly reading: RequestReading;
  readonly question: ClientQuestion;
}

/** Null means that the request says nothing of the row. */
export type Look = (wire: WireCase) => Finding | null;

/**
 * A judge that looks at each request by itself, and at what became of the inputs that were never sent.
 * `body`: the row is about the body, so a record without its bytes is inconclusive.
 */
export function wireJudge(
  operation: Operation | 'both',
  look: Look,
  { body = false }: { readonly body?: boolean } = {},
): ClientJudge {
  const judge: ClientJudge = (question) => {
    const verdicts: ClientVerdict[] = [];
    for (const examined of question.cases) {
      if (!isWireCase(examined) || (operation !== 'both' && examined.label.operation !== operation)) continue;
      // Most rows say something of most requests: lists of one would be made and joined a hundred thousand times for each.
      for (const exchange of examined.wire) {
        const finding = findingOf({ examined, exchange, reading: readRequest(exchange), question }, look, body);
        if (finding !== null) verdicts.push({ examined, exchange, finding });
      }
    }
    return [...verdicts, ...unsentFindings(question.id, question.cases.filter(isAskedToSend))];
  };
  return Object.assign(judge, { eachAlone: true } as const);
}

/** Whether the case is judged by its requests: no probe, and sent to a server that may be trusted. */
export function isWireCase({ label }: ClientCase): boolean {
  return label.input !== 'probe' && !isUntrustedServer(label.server);
}

/** Whether it counts that no request came: a decoding case asks for nothing that others do not, unless it says what its input is about. */
function isAskedToSend(examined: ClientCase): boolean {
  return isWireCase(examined) && (examined.label.decoding === undefined || examined.label.about !== undefined);
}

/** Whether a client has to refuse the certificate of that server. */
export function isUntrustedServer(server: ClientCase['label']['server']): boolean {
  return server === 'other-authority' || server === 'wrong-name' || server === 'expired';
}

function findingOf(wire: WireCase, look: Look, body: boolean): Finding | null {
  const { examined, question } = wire;
  const { label } = examined;
  const open = openBy.find(({ loss, isAbout }) => lacks(examined, loss) && isAbout(question.id, body));
  if (open !== undefined && !open.isFailureOnly) return lackingIn(examined, open.hint);
  if (label.input === 'forbidden' && label.about !== undefined) {
    if (label.about === question.id) return forbiddenFinding(examined, wire.exchange);
    if (sharesItsValue(question.id, label.about)) return null;
  }
  const finding = look(wire);
  if (finding?.outcome !== 'fail') return finding;
  if (open !== undefined) return lackingIn(examined);
  const mayBreak = groundsOf(question.id).filter((id) => !isReadable(id, wire));
  return mayBreak.length === 0 ? finding : { ...finding, because: { text: 'it cannot be read', mayBreak } };
}

/** Whether the part that the row is about is there to be read, if only repaired: then what is inside of it has a fault of its own. */
function isReadable(id: RequirementId, { examined: { label }, reading: { form, payload } }: WireCase): boolean {
  const own = bodyRows[label.operation];
  if (id === own.form) return form.kind === 'form';
  return id !== 'recurring/csv-rows' && (!own.inside.includes(id) || payload?.bytes !== undefined);
}

function lackingIn({ incomplete }: ClientCase, hint?: string): Finding {
  return { ...inconclusive(`the record lacks ${incomplete}`), hint };
}

interface OpenBy {
  readonly loss: keyof typeof losses;
  readonly isAbout: (id: RequirementId, body: boolean) => boolean;
  /** What holds all the same is shown. */
  readonly isFailureOnly?: boolean;
  readonly hint?: string;
}

/** The rows that a loss of the record leaves open. */
const openBy: readonly OpenBy[] = [
  { loss: 'requestBody', isAbout: (_, body) => body },
  { loss: 'requestEnd', isAbout: (_, body) => body },
  { loss: 'requestPart', isAbout: (_, body) => body, isFailureOnly: true },
  {
    loss: 'authorization',
    isAbout: (id) => /^authentication\/|\/authorization-sent$/.test(id),
    hint: 'The record seems to be sanitized. Record with sensitive data: browsers have a command for that, other tools an option.',
  },
  // That the bytes were no form shows all the same.
  {
    loss: 'characters',
    isAbout: (id, body) => body && !Object.values(bodyRows).some(({ form }) => form === id),
    isFailureOnly: true,
  },
  { loss: 'address', isAbout: (id) => id === 'authentication/signature-verifies', isFailureOnly: true },
];

/** Whether the record leaves out bytes that the client sent. */
export function lacksBody(examined: ClientCase): boolean {
  return lacks(examined, 'requestBody') || lacks(examined, 'requestEnd');
}

/** Whether the bytes of the record may not be those that were sent. */
export function isDoubtful(examined: ClientCase): boolean {
  return openBy.some(({ loss }) => loss !== 'address' && lacks(examined, loss));
}
