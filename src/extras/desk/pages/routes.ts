/** The pages of the desk, below /desk: what is shown, and the forms that change something. */
import { openPoints } from '../../../../contracts/open-points.ts';
import { requirementById } from '../../../../contracts/requirements/index.ts';
import { htmlReport } from '../../../report/pages/report-page.ts';
import { DeskError } from '../desk-error.ts';
import type { DeskService } from '../desk-service.ts';
import type { EngagementRecord } from '../engagement.ts';
import { stepActions } from '../events.ts';
import { readNewEngagement } from '../new-engagement.ts';
import { redactionFor } from '../redact.ts';
import { viewOf } from '../view.ts';
import { methodRefused, seeOther, type WebAnswer, type WebRequest } from '../web.ts';
import { engagementPage } from './engagement.ts';
import { listPage } from './list.ts';

/** Answers a request for a page. Throws DeskError. */
export async function pageRoute(asked: WebRequest, caFile: string | undefined): Promise<WebAnswer> {
  const { segments, method, desk } = asked;
  const [collection, id, part, step, ...more] = segments;
  if (collection === undefined) return method === 'GET' ? listPage(desk) : methodRefused('GET');
  if (collection !== 'engagements' || more.length > 0) throw notFound();
  if (id === undefined) return method === 'POST' ? create(asked) : seeOther('/desk');
  const record = desk.find(id);
  const page = `/desk/engagements/${id}`;
  if (part === undefined) {
    return method === 'GET' ? engagementPage(viewOf(record, desk), caFile) : methodRefused('GET');
  }
  if (part === 'report.html' && step === undefined && method === 'GET') return reportPage(record, desk);
  // A reload of the address of a form leads back to the page.
  if (method !== 'POST') return seeOther(page);
  if (part === 'restart' && step === undefined) {
    await desk.restart(id);
    return seeOther(page);
  }
  if (part === 'private-key' && step === undefined) return keyFile(id, await desk.givePrivateKey(id));
  if (part !== 'steps' || step === undefined) throw notFound();
  const action = stepActions.find((one) => one === fieldsOf(asked.body).action);
  if (action === undefined) throw new DeskError('bad-request', 'the form names no action', 'send it from the page');
  await desk.act(id, step, action);
  return seeOther(`${page}#step-${step}`);
}

/** A mistake in the form is reported above the form. */
async function create({ desk, body }: WebRequest): Promise<WebAnswer> {
  try {
    const { engagement } = await desk.create(readNewEngagement(fieldsOf(body)));
    return seeOther(`/desk/engagements/${engagement.id}`);
  } catch (cause) {
    if (!(cause instanceof DeskError)) throw cause;
    return listPage(desk, `${capital(cause.message)}. ${capital(cause.hint)}.`);
  }
}

/** The page that every run of the suite has, without the secrets of the engagement. */
function reportPage(record: EngagementRecord, desk: DeskService): WebAnswer {
  const redaction = redactionFor(record.engagement);
  const { result, cases } = desk.judge(record);
  const shown = cases.map((one) => ({ ...one, exchange: redaction.exchange(one.exchange) }));
  const questions = (id: string) => openPoints.find((point) => point.id === id)?.question;
  const body = htmlReport(redaction.json(result), { statements: requirementById, questions, cases: shown });
  return { status: 200, headers: { 'Content-Type': 'text/html;charset=utf-8' }, body };
}

function keyFile(id: string, pem: string): WebAnswer {
  const headers = {
    'Content-Type': 'application/x-pem-file',
    'Content-Disposition': `attachment; filename="countersign-${id}-private.pem"`,
  };
  return { status: 200, headers, body: pem };
}

function fieldsOf(body: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(body));
}

function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.$/, '')}`;
}

function notFound(): DeskError {
  return new DeskError('no-such-thing', 'no page has this address', 'the list of engagements is at /desk');
}
